import numpy as np

from tapeflow.core.runtime.floating import quiet


def test_quiet_inside_and_as_before_outside():
    with np.errstate(all="raise"):
        before = np.geterr()
        with quiet():
            assert np.isinf(np.float32(1.0) / np.float32(0.0))
            assert np.isnan(np.log(np.array([-1.0])))[0]
        assert np.geterr() == before
        try:
            with quiet():
                raise KeyError
        except KeyError:
            pass
        assert np.geterr() == before
