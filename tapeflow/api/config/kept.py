"""What `tf.config` keeps: it is given back when it is asked for, and changes nothing else unless it says so."""

from typing import Any

state: dict[str, Any] = {
    "inter": 0, "intra": 0, "jit": "", "options": {"disable_model_pruning": False, "disable_meta_optimizer": False},
    "synchronous": True, "policy": "silent", "deterministic": False,
}  # fmt: skip
