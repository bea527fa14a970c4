"""Words of which most are 0, packed to be sent: a bit for each word, then those that are not 0."""

from __future__ import annotations

from graphtrees.kernels._jit import kernel


@kernel
def pack(words, bits, kept):
    """Mark the words that are not 0 in `bits`, write them to `kept`; returns how many."""
    n = 0
    for at in range(bits.shape[0]):
        marks = 0
        for j in range(min(8, words.shape[0] - 8 * at)):
            # Branch-free: always write, advance only if non-zero.
            word = words[8 * at + j]
            kept[n] = word
            n += word != 0
            marks |= (word != 0) << j
        bits[at] = marks
    return n


@kernel
def add_packed(bits, kept, words):
    """Add packed words to others."""
    n = 0
    for at in range(bits.shape[0]):
        marks = bits[at]
        j = 0
        while marks:
            if marks & 1:
                words[8 * at + j] += kept[n]
                n += 1
            marks >>= 1
            j += 1
