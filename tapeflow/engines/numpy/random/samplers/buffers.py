"""Samplers that draw until a number is accepted: where each sample is in its blocks, for all samples at once."""

import numpy as np

from tapeflow.core.random import philox

from .words import as_normal, as_uniform


class Blocks:
    """Where each of many samples is. Sample number n begins `stride * n` blocks after the key's counter."""

    def __init__(self, key, numbers, stride):
        self.key, self.start = key, np.asarray(numbers, np.uint64) * np.uint64(stride)
        self.read = np.zeros(len(self.start), np.uint64)

    def next(self, which):
        """The words of the next block of some samples."""
        words = philox.blocks_at(self.key, self.start[which] + self.read[which])
        self.read[which] += np.uint64(1)
        return words


class Buffer:
    """Numbers of one law for each sample, a block of them at a time, the last of a block first."""

    def __init__(self, blocks, made, dtype):
        self.blocks, self.made, self.dtype = blocks, made, dtype
        self.width = 2 if dtype == np.float64 else 4
        count = len(blocks.start)
        self.held = np.empty((count, self.width), np.float64 if dtype == np.float64 else np.float32)
        self.left = np.zeros(count, np.int64)

    def next(self, which):
        empty = which[self.left[which] == 0]
        if empty.size:
            self.held[empty] = self.made(self.blocks.next(empty), self.dtype)
            self.left[empty] = self.width
        self.left[which] -= 1
        return self.held[which, self.left[which]]


def uniforms(blocks, dtype):
    return Buffer(blocks, as_uniform, dtype)


def normals(blocks, dtype):
    return Buffer(blocks, as_normal, dtype)
