"""Size and SHA-256 of files whose content never changes.

These are the packed ``.npz`` files and the split archive. The public sources of the TU, Geom-GCN,
heterophilous and OGB files publish no digests, so those downloads are checked by length and by the
checksums inside their archives.
"""

from __future__ import annotations

from typing import NamedTuple


class Known(NamedTuple):
    """The size in bytes and the digest that a file must have."""

    size: int
    sha256: str


_TABLE = """
graph/ogbg_molhiv.npz 1660194 b231223ef04f36b6b2db3fdb9b3895ed58befb77037223bb71413b2eaef3a639
node/actor.npz 192546 3e5477bfe8851d318d325ddfb83a977f689c17a4540c1cd40d310000e7c51577
node/citeseer.npz 192287 7259820605fb599f84e24056b99119b04a4a30614369a9fef7e11bf209860209
node/cora.npz 102646 83500f89d18a9b631fac6fbd1028fcef7ac36fd9e83de25b05af013c2372cd80
node/cornell.npz 23601 aa0e55ab8a94805dbc7a69d62759b94f082005209af27565680e1db89c953ad7
node/cornell_2020.npz 21023 1f68d41013da0a7c0e877c7865b959af76c04feccd15a1a0783220488325b96c
node/county.npz 91319 a16245a4f5e322a508c51b6c2512700b58bc3998c0c22d5d83f6c47fa924e7fe
node/flights.npz 6010524 5f262502b25a96e8298c811a18bc6bb754526fdf989b1a9a12f5398ddf74cd58
node/pubmed.npz 4616230 8fce2d162041cf8bb0862a458eb8234bdb23f1098fb4178a476771a46876320a
node/tolokers.npz 1214373 421013fdcb5e61e384693884c65c3f1820cb9b7f555300d7d3c794b169efea59
tu/fair_splits.zip 180992 ae0387302e09dddf1db92576b08f515672144a4df97a572a43d8f4e1439b254b
"""
KNOWN = {
    path: Known(int(size), sha256)
    for path, size, sha256 in (line.split() for line in _TABLE.split("\n") if line)
}
