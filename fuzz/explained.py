"""Disagreements that are understood and left: what they are, and why."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Explanation:
    """Holds for the functions that match `names`, the `kinds` of comparison (separated by commas) and what the outcomes' text matches."""

    reason: str
    names: str = ".*"
    kinds: str = ".*"
    how: str = ".*"
    outcome: str = ""

    def holds(self, d):
        return bool(
            re.fullmatch(self.names, d.call.name)
            and re.fullmatch(self.kinds, d.kind)
            and re.fullmatch(self.how, d.how)
            and re.search(self.outcome, f"{d.call}\nexpected {d.expected}\ngot {d.got}")
        )


_DERIVATIVES = "gradient|second gradient|forward"

TABLE = [
    Explanation(
        "tf.linalg.lu has no gradient yet.", names="linalg.lu", kinds="gradient", how="error", outcome="no entry for: lu"
    ),
    Explanation(
        "Each engine has a stream of random numbers of its own so far.",
        names="random.*|image.stateless_.*",
        kinds="xla",
        how="value",
    ),
    Explanation(
        "The gradient is that for labels that add up to 1, softmax minus labels, as in TensorFlow.",
        names="nn.softmax_cross_entropy_with_logits",
        kinds="gradient|second gradient",
        how="value",
    ),
    Explanation(
        "Of several values for one place the last one stays, and the slope goes to each, as in TensorFlow.",
        names="dynamic_stitch|tensor_scatter_nd_update",
        kinds=_DERIVATIVES,
        how="value",
    ),
    Explanation(
        "The function cuts the path on purpose, as TensorFlow's does.",
        names="stop_gradient|nn.ctc_greedy_decoder|nn.ctc_beam_search_decoder",
        kinds=_DERIVATIVES,
        how="value",
    ),
    Explanation(
        "The gradient of a quantization is that of a straight line through it, as in TensorFlow.",
        names="quantization.*",
        kinds=_DERIVATIVES,
        how="value",
    ),
    Explanation(
        "Second derivatives by the shape parameters of the incomplete gamma and beta functions are not there; TensorFlow has none either.",
        names="math.(igamma|igammac|betainc)",
        kinds="second gradient",
        how="error",
        outcome="gradient registry has no entry",
    ),
    Explanation(
        "Complex eigenvectors and singular vectors are determined up to a phase, which LAPACK chooses: their differences are not their derivatives.",
        names="linalg.(eigh|eig|svd)",
        kinds="(second )?gradient",
        how="value",
        outcome="complex",
    ),
    Explanation(
        "XLA does not compute with strings.", kinds="xla", how="error", outcome="XLA cannot compile .* it works on strings"
    ),
    Explanation(
        "A compiled program does not check values: what is an error eagerly gives numbers there, as in TensorFlow.",
        kinds="xla",
        how="error",
        outcome=r"expected InvalidArgumentError(?s:.*)got (?!\w+Error)",
    ),
    Explanation(
        "A mapped function returns tensors; ragged and sparse results of maps come with the ragged tensors' own issue.",
        kinds="map",
        how="error",
        outcome="A mapped function must return tensors",
    ),
]


def reason(disagreement):
    """The first explanation that holds, or None."""
    return next((e for e in TABLE if e.holds(disagreement)), None)
