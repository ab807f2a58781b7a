"""Keras' tests run without the frameworks that they import: who touches one is skipped, and nobody else."""

import ast

import pytest

from keras_tapeflow.testing import Absent, _TensorFlowsKinds


def test_touching_a_stand_in_skips():
    for touch in (lambda x: x.anything, lambda x: x(1), lambda x: x[0], list):
        with pytest.raises(pytest.skip.Exception, match="needs grain"):
            touch(Absent("grain"))


def test_a_module_may_be_imported_with_stand_ins_as_base_classes_and_decorators(monkeypatch):
    monkeypatch.setattr(Absent, "importing", True)
    grain = Absent("grain")

    class Source(grain.sources.RandomAccessDataSource):
        pass

    assert Source.__mro__ == (Source, object)
    assert isinstance(grain.decorator(lambda: 0), Absent)


def test_tests_that_make_sparse_tensors_by_the_name_of_their_backend_make_ours():
    source = """
@pytest.mark.skipif(backend.backend() != "tensorflow", reason="Uses tf.SparseTensor.")
def test():
    if backend.backend() == "tensorflow":
        import tensorflow as tf

        if dtype == "int32":
            pytest.skip("unsupported with TensorFlow backend")
        x = tf.SparseTensor([[0]], [1.0], [1])
    else:
        self.fail("unsupported")

@pytest.mark.skipif(backend.backend() != "tensorflow", reason="Uses strings.")
def other():
    if backend.backend() == "tensorflow":
        import tensorflow as tf

        return tf.constant("a")
"""
    tree = _TensorFlowsKinds().visit(ast.parse(source))
    test, other = map(ast.unparse, tree.body)
    assert test == ast.unparse(
        ast.parse("""
@pytest.mark.skipif(backend.backend() not in ("tensorflow", "tapeflow"), reason="Uses tf.SparseTensor.")
def test():
    if backend.backend() in ("tensorflow", "tapeflow"):
        import tapeflow as tf

        x = tf.SparseTensor([[0]], [1.0], [1])
    else:
        self.fail("unsupported")
""")
    )
    assert other == ast.unparse(ast.parse(source).body[1])
