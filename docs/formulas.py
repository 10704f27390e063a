"""Formulas of the pages as MathML, which browsers draw by themselves: the site needs no script and no network.

The pages keep TeX between dollars, which GitHub shows as formulas; `mkdocs.yml` names this file as a hook. It knows
the TeX that the docstrings use, and refuses any other.
"""

from __future__ import annotations

import re
from html import escape

_RELATIONS = {r"\ge": "≥", r"\le": "≤", r"\in": "∈", r"\exists": "∃", r"\cdot": "·", r"\dots": "…"}
_BRACKETS = {r"\lceil": "⌈", r"\rceil": "⌉", r"\lfloor": "⌊", r"\rfloor": "⌋", r"\{": "{", r"\}": "}"}
_SIGNS = {**_RELATIONS, **_BRACKETS, "-": "−", "*": "∗"}
_GREEK = {r"\kappa": "κ", r"\lambda": "λ", r"\pi": "π", r"\rho": "ρ"}
_LETTERS = {r"\alpha": "α", r"\beta": "β", r"\epsilon": "ε", **_GREEK}
_LARGE = {r"\sum": "∑", r"\prod": "∏"}
_WORDS = (r"\max", r"\min", r"\log")
_SPACES = {r"\,": "0.17em", r"\qquad": "2em"}
_TOKEN = re.compile(
    r"\\text\{[^}]*\}|\\[a-zA-Z]+|\\.|\d*\.?\d+"
    r"|[mx](?=R)"  # a share times R, not a word
    r"|[A-Za-z]+(?:@[a-z])?|[^\s]"
)
_IN_PAGE = re.compile(r"(?P<code>```.*?```|`[^`\n]*`)|\$\$(?P<block>.+?)\$\$|\$(?P<inline>[^$\n]+?)\$", re.DOTALL)


def on_page_markdown(markdown: str, **_: object) -> str:
    """Turn the formulas of a page into MathML; code stays as it is."""
    return _IN_PAGE.sub(_replaced, markdown)


def _replaced(found: re.Match[str]) -> str:
    if found["code"]:
        return found["code"]
    if found["block"]:
        return f'<div class="formula"><math display="block">{mathml(found["block"])}</math></div>'
    return f"<span><math>{mathml(found['inline'])}</math></span>"  # a line may not begin with a block


def mathml(tex: str) -> str:
    r"""Translate one formula.

    >>> mathml(r"c_i / R")
    '<msub><mi>c</mi><mi>i</mi></msub><mo>/</mo><mi>R</mi>'
    """
    return _row(_TOKEN.findall(tex))


def _row(tokens: list[str], end: str | None = None) -> str:
    """Take tokens off the front, up to the one that ends the row, and put their signs side by side."""
    parts = []
    while tokens and tokens[0] != end:
        parts.append(_scripted(_sign(tokens), tokens))
    if tokens:
        tokens.pop(0)
    return "".join(parts)


def _sign(tokens: list[str]) -> str:
    """Take one sign, or one group of them."""
    token = tokens.pop(0)
    if token == "{":
        return f"<mrow>{_row(tokens, '}')}</mrow>"
    if token == r"\left":
        inside = _row(tokens, r"\right")
        return f"<mrow>{inside}{_plain(tokens.pop(0))}</mrow>"
    if token == r"\frac":
        return f"<mfrac>{_sign(tokens)}{_sign(tokens)}</mfrac>"
    if token in _WORDS:
        space = "0" if tokens[:1] and tokens[0] in {"(", "_", r"\{"} else "0.17em"
        return f'<mo lspace="0" rspace="{space}">{token[1:]}</mo>'
    if token == r"\textstyle":
        return '<mspace width="0"/>'
    return _plain(token)


def _plain(token: str) -> str:
    if token in _SPACES:
        return f'<mspace width="{_SPACES[token]}"/>'
    if token in _LARGE:
        return f"<mo>{_LARGE[token]}</mo>"
    if token.startswith(r"\text{"):
        return f"<mtext>{escape(token[6:-1]).replace(' ', '&nbsp;')}</mtext>"
    if token[0].isalpha() or token in _LETTERS:
        return f"<mi>{_LETTERS.get(token, token)}</mi>"
    if token[0].isdigit() or (token[0] == "." and len(token) > 1):
        return f"<mn>{token}</mn>"
    if token.startswith("\\") and token not in _SIGNS:
        raise ValueError(f"TeX that docs/formulas.py does not know: {token}")
    return f"<mo>{escape(_SIGNS.get(token, token))}</mo>"


def _scripted(base: str, tokens: list[str]) -> str:
    """Hang what follows below or above a sign."""
    scripts = {}
    while tokens and tokens[0] in {"_", "^"}:
        where = tokens.pop(0)
        scripts[where] = _sign(tokens)
    large = base in {f"<mo>{sign}</mo>" for sign in _LARGE.values()} or ">max<" in base
    under, over, both = ("munder", "mover", "munderover") if large else ("msub", "msup", "msubsup")
    kind = both if len(scripts) == 2 else under if "_" in scripts else over
    ordered = "".join(scripts[where] for where in ("_", "^") if where in scripts)
    return f"<{kind}>{base}{ordered}</{kind}>" if scripts else base
