"""`tf.DeviceSpec`: the parts of a device's name."""

from typing import Any

__all__ = ["DeviceSpec"]

_PARTS = ("job", "replica", "task", "device_type", "device_index")


class DeviceSpec:
    """The parts of a device's name, some of which may be left open.

    Args:
        job: Which group of processes, such as `worker`.
        replica: Its number.
        task: The number of the process.
        device_type: `CPU` or `GPU`.
        device_index: The number of the device.

    >>> tf.DeviceSpec(job="worker", device_type="GPU", device_index=1).to_string()
    '/job:worker/device:GPU:1'
    >>> tf.DeviceSpec.from_string("/cpu:0").device_type
    'CPU'
    """

    def __init__(
        self, job: str | None = None, replica: int | None = None, task: int | None = None,
        device_type: str | None = None, device_index: int | None = None,
    ) -> None:  # fmt: skip
        self._job = job
        self._replica, self._task = (None if n is None else int(n) for n in (replica, task))
        self._device_type = None if device_type is None else device_type.upper()
        self._device_index = None if device_index is None else int(device_index)

    @property
    def job(self) -> str | None:
        """The job, or None."""
        return self._job

    @property
    def replica(self) -> int | None:
        """The number of the replica, or None."""
        return self._replica

    @property
    def task(self) -> int | None:
        """The number of the task, or None."""
        return self._task

    @property
    def device_type(self) -> str | None:
        """CPU, GPU or TPU, or None."""
        return self._device_type

    @property
    def device_index(self) -> int | None:
        """The number of the device, or None."""
        return self._device_index

    def _parts(self) -> dict[str, Any]:
        return {part: getattr(self, part) for part in _PARTS}

    @classmethod
    def from_string(cls, spec: str) -> "DeviceSpec":
        """From a name such as `/job:worker/task:1/device:GPU:0` or `/gpu:0`.

        Args:
            spec: A name such as `/job:worker/task:1/device:GPU:0`.

        Raises:
            ValueError: If it is no name of a device.
        """
        parts: dict[str, Any] = {}
        for piece in filter(None, spec.split("/")):
            key, *rest = piece.split(":")
            if key in ("job", "replica", "task") and len(rest) == 1:
                parts[key] = rest[0]
            elif key == "device" and len(rest) == 2 or key.lower() in ("cpu", "gpu", "tpu") and len(rest) == 1:
                kind, number = rest if key == "device" else (key, rest[0])
                parts["device_type"], parts["device_index"] = kind, None if number == "*" else number
            else:
                raise ValueError(
                    f"Unknown attribute '{piece}' is encountered while parsing the device spec: '{spec}'."
                )
        return cls(**parts)

    def parse_from_string(self, spec: str) -> "DeviceSpec":
        """The same as `from_string`.

        Args:
            spec: A name such as `/job:worker/task:1/device:GPU:0`.

        Raises:
            ValueError: If it is no name of a device.
        """
        return self.from_string(spec)

    def to_string(self) -> str:
        """The name."""
        text = "".join(f"/{part}:{value}" for part in _PARTS[:3] if (value := getattr(self, part)) is not None)
        if self.device_type is not None:
            text += f"/device:{self.device_type}:{'*' if self.device_index is None else self.device_index}"
        return text

    def replace(self, **kwargs: Any) -> "DeviceSpec":
        """With other values for some parts.

        Args:
            **kwargs: The parts that change, by name.
        """
        return type(self)(**{**self._parts(), **kwargs})

    def make_merged_spec(self, dev: "DeviceSpec") -> "DeviceSpec":
        """With the parts that another spec has.

        Args:
            dev: A `tf.DeviceSpec`, whose parts go first.
        """
        return self.replace(**{part: value for part, value in dev._parts().items() if value is not None})

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, DeviceSpec) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash(tuple(self._parts().values()))

    def __repr__(self) -> str:
        return f"<DeviceSpec({', '.join(f'{part}={value!r}' for part, value in self._parts().items())})>"
