"""The chemical elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

# By atomic number, from 1.
_LISTED = """
H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr
Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb
Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf
Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og
"""
SYMBOLS = tuple(_LISTED.split())
KNOWN = frozenset(SYMBOLS)


def are_elements(labels: Sequence[Any]) -> bool:
    """Whether all of one or more labels are symbols of elements.

    >>> are_elements(["C", "Cl"]), are_elements(["C", "red"]), are_elements([])
    (True, False, False)
    """
    return len(labels) > 0 and all(isinstance(one, str) and one in KNOWN for one in labels)


def numbered_atoms(names: Sequence[Any]) -> list[str] | None:
    """The elements of atoms that are named by element and number, None for other names.

    >>> numbered_atoms(["C0", "Cl1"]), numbered_atoms(["C0", "O5"])
    (['C', 'Cl'], None)
    """
    ends = [str(number) for number in range(len(names))]
    symbols = [
        str(name).removesuffix(end) if str(name).endswith(end) else ""
        for name, end in zip(names, ends, strict=True)
    ]
    return symbols if are_elements(symbols) else None
