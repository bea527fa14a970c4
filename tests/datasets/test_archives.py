"""Reading archives: what is asked for, and nothing that could do harm."""

from __future__ import annotations

import gzip
import io
import stat
import zipfile

import numpy as np
import pytest

from datasets.archives import TINY, npz, tu_zip, zip_of
from graphtrees.datasets.archives import Collection, read_npz
from graphtrees.datasets.tables import read_integers, read_numbers


@pytest.fixture
def write(tmp_path):
    def write(content: bytes, name: str = "x.zip"):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


def test_a_folder_reads_as_its_zip_does(tmp_path, write):
    path = write(tu_zip("T", TINY))
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path / "unpacked")
    zipped, folder = Collection(path), Collection(tmp_path / "unpacked")
    assert sorted(zipped.names) == sorted(folder.names)
    assert zipped.read("T_A.txt") == folder.read("T_A.txt") == TINY["A"].encode()


def test_a_name_is_matched_by_whole_parts(write):
    collection = Collection(write(zip_of({"a/XT_A.txt": "wrong", "a/b/T_A.txt": "right"})))
    assert collection.read("T_A.txt") == b"right"


@pytest.mark.parametrize("name", ["../evil", "a/../../evil", "/etc/evil", "C:/evil", "a\\..\\evil"])
def test_a_zip_that_climbs_out_is_refused(write, name):
    with pytest.raises(ValueError, match="points outside the archive"):
        Collection(write(zip_of({"T/T_A.txt": "1, 2", name: "x"})))


def test_a_zip_with_a_link_is_refused(write):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        link = zipfile.ZipInfo("T/T_A.txt")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(ValueError, match=r"'T/T_A\.txt' is a link"):
        Collection(write(data.getvalue()))


def test_an_encrypted_member_is_refused(write):
    data = bytearray(zip_of({"T_A.txt": "1, 2"}))
    data[data.index(b"PK\x01\x02") + 8] |= 1  # the flag in the table of contents
    with pytest.raises(ValueError, match="is encrypted"):
        Collection(write(bytes(data)))


def test_a_truncated_zip_is_told(write):
    whole = tu_zip("T", TINY)
    with pytest.raises(ValueError, match=r"x\.zip is damaged .*; delete it and get it again"):
        Collection(write(whole[:-40]))


def test_a_member_with_a_wrong_checksum_is_told(write):
    data = bytearray(zip_of({"T_A.txt": "1, 2\n" * 50}))
    data[data.index(b"T_A.txt") + 12] ^= 0xFF
    with pytest.raises(ValueError, match=r"is damaged \(T_A\.txt: "):
        Collection(write(bytes(data))).read("T_A.txt")


@pytest.mark.parametrize("kind", ["zip", "npz"])
def test_an_archive_with_any_byte_changed_is_read_or_told_to_be_damaged(write, kind):
    whole = {"zip": tu_zip("T", TINY), "npz": npz(x=np.arange(9), y=np.ones(3))}[kind]
    rng = np.random.default_rng(0)
    told = []
    for place in range(len(whole)):
        changed = bytearray(whole)
        changed[place] ^= int(rng.integers(1, 256))
        path = write(bytes(changed), f"x.{kind}")
        try:
            if kind == "npz":
                read_npz(path)
            else:
                collection = Collection(path)
                for name in TINY:
                    collection.read(f"T_{name}.txt")
                    list(collection.lines(str(collection.find(f"T_{name}.txt"))))
        except ValueError as error:
            told.append(str(error))
    assert len(told) > len(whole) / 4
    assert all(str(path) in text for text in told)


def test_an_unknown_compression_is_told(write):
    data = bytearray(zip_of({"T_A.txt": "1, 2"}))
    for start, field in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        data[data.index(start) + field] = 99
    with pytest.raises(ValueError, match=r"is damaged \(T_A\.txt: That compression method"):
        Collection(write(bytes(data))).read("T_A.txt")


def test_a_missing_member_is_named(write):
    with pytest.raises(ValueError, match=r"x\.zip: the zip has no file T_A\.txt"):
        Collection(write(zip_of({"T/other.txt": ""}))).read("T_A.txt")


def test_a_cut_gzip_is_told(write):
    packed = gzip.compress(b"1,2\n" * 100)[:-12]
    collection = Collection(write(zip_of({"raw/edge.csv.gz": packed})))
    with pytest.raises(ValueError, match=r"is damaged \(raw/edge\.csv\.gz: "):
        collection.read("raw/edge.csv.gz")


def test_python_objects_in_arrays_are_never_loaded(write):
    class Evil:
        def __reduce__(self):
            return pytest.fail, ("the file ran code",)

    data = io.BytesIO()
    np.savez(data, x=np.array([Evil()], dtype=object))
    with pytest.raises(ValueError, match="holds Python objects"):
        read_npz(write(data.getvalue(), "x.npz"))


def test_a_missing_array_is_named(write):
    with pytest.raises(ValueError, match=r"x\.npz: no array 'y'; it has edge_index, x"):
        read_npz(write(npz(x=[1], edge_index=[2]), "x.npz"), "x", "y")


@pytest.mark.parametrize("content", [b"", b"no zip", npz(x=np.arange(1000))[:-30]])
def test_damaged_arrays_are_told(write, content):
    with pytest.raises(ValueError, match=r"x\.npz is damaged"):
        read_npz(write(content, "x.npz"))


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        (b"1, 2\n3,4", [[1, 2], [3, 4]]),
        (b" 1.5\n2\r\n", [[1.5], [2]]),
        (b"1,,3\n,5,\n", [[1, np.nan, 3], [np.nan, 5, np.nan]]),
        (b"\n", np.zeros((0, 0))),
    ],
)
def test_tables_are_read(text, numbers):
    np.testing.assert_array_equal(read_numbers(text, "x.txt"), numbers)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (b"1\nzwei\n", r"^x\.txt: .*'zwei'"),
        (b"1,2\n3\n", r"^x\.txt: .*columns"),
        (b"1\n2.5\n", r"x\.txt: line 2 should hold whole numbers; got \[2\.5\]"),
        (b"1,2\n", r"x\.txt should have 1 column; it has 2"),
    ],
)
def test_bad_tables_are_told(text, error):
    with pytest.raises(ValueError, match=error):
        read_integers(text, "x.txt", 1)
