r"""Set the formulas of docstrings as mathematics.

In a docstring a formula is plain text, which ``help`` shows: ``P@k = 1/k * sum over r = 1, ..., k
of rel(r)``. In the pages it becomes ``\text{P@k} = \frac{1}{k} \, \sum_{r = 1}^{k} ...``.

The notation has ``sum over ... of ...``, ``product over ... of ...`` and ``sum(... for r = 1, ...,
k)``. A space or ``*`` is between two factors. ``f(x)`` without a space is a function, ``x[i]`` has
an index, and ``P[...]`` is a probability. ``^`` and ``**`` are powers. ``/`` divides all factors
before it by the next one, but only the last without spaces, as in ``1/r``. Several words are text.
"""

from __future__ import annotations

import re

TOKEN = re.compile(
    r"""
    (?P<space>\s*)
    (?: (?P<number>\d+(?:\.\d+)?)
      | (?P<name>[A-Za-z](?:\w|-(?=[A-Za-z]))*(?:@\w+)?'?)
      | (?P<sign>\*\*|==|>=|<=|\.\.\.|[-+*/^=<>()\[\]{}|:,])
    )
    """,
    re.VERBOSE,
)
RELATIONS = {"=": "=", "==": "=", ">=": r"\ge", "<=": r"\le", "<": "<", ">": ">", "in": r"\in"}
SIGNS = {"sum": r"\sum", "product": r"\prod"}
KNOWN = {
    "alpha": r"\alpha",
    "beta": r"\beta",
    "log": r"\log",
    "log2": r"\log_2",
    "max": r"\max",
    "min": r"\min",
}
BRACKETS = {"(": ")", "[": "]", "{": "}", "|": "|"}


class NotAFormulaError(ValueError):
    """Text that is not a formula in this notation."""


def name_as_latex(name: str) -> str:
    """Return a name as LaTeX: a letter as a variable, a word upright, and what follows _ below."""
    variable, _, index = name.partition("_")
    if len(variable.rstrip("'")) == 1:
        return f"{variable}_{{{name_as_latex(index)}}}" if index else variable
    return KNOWN.get(name) or rf"\text{{{name}}}"


class Parser:
    """Reads a formula from left to right. Each method reads a part of it and returns its LaTeX."""

    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, bool]] = []
        """Each token, and whether there is a space before it."""
        at = 0
        while text[at:].strip():
            token = TOKEN.match(text, at)
            if token is None:
                raise NotAFormulaError(text)
            self.tokens.append(
                (token["number"] or token["name"] or token["sign"], bool(token["space"]))
            )
            at = token.end()
        self.at = 0

    def next(self, ahead: int = 0) -> str:
        """Return a token that comes next, or an empty text at the end."""
        at = self.at + ahead
        return self.tokens[at][0] if at < len(self.tokens) else ""

    def take(self, *expected: str) -> str:
        """Read the next token, one of those expected if any are."""
        token = self.next()
        if not token or (expected and token not in expected):
            raise NotAFormulaError(f"{token!r} in {self.tokens}")
        self.at += 1
        return token

    def place_of(self, expected: str) -> int:
        """Return where a token comes next."""
        for at in range(self.at, len(self.tokens)):
            if self.tokens[at][0] == expected:
                return at
        raise NotAFormulaError(f"{expected!r} is missing in {self.tokens}")

    def is_joined(self) -> bool:
        """Whether the next token follows without a space."""
        return self.at < len(self.tokens) and not self.tokens[self.at][1]

    def words(self) -> list[str]:
        """Return the words that come next, without reading them: names, but those of functions."""
        end = self.at
        while re.match(r"(?!for\b)[A-Za-z]", self.next(end - self.at)):
            end += 1
        names = [token for token, _ in self.tokens[self.at : end]]
        is_function = end < len(self.tokens) and self.tokens[end] in {("(", False), ("[", False)}
        return names[:-1] if is_function else names

    def formula(self) -> str:
        """Read relations with commas between them, to the end."""
        latex = self.part()
        while self.next():
            self.take(",")
            latex += rf", \quad {self.part()}"
        return latex

    def part(self) -> str:
        """Read a relation, or a remark such as "from 0 to 1"."""
        if self.next() == "...":
            self.take()
            return r"\ldots"
        if self.next() == "with":
            self.take()
            return rf"\text{{with }} {self.relation()}"
        if self.next() == "from":
            words = [self.take()]
            while self.next() and self.next() != ",":
                words.append(self.take())
            return rf"\text{{{' '.join(words)}}}"
        return self.relation()

    def relation(self) -> str:
        """Read sums with relations between them."""
        latex = "" if self.next() == "=" else self.sum()
        while self.next() in RELATIONS:
            latex += f" {RELATIONS[self.take()]} {self.sum()}"
        return latex

    def sum(self) -> str:
        """Read products with signs between them."""
        latex = self.take() if self.next() == "-" else ""
        latex += self.product()
        while self.next() in {"+", "-"}:
            latex += f" {self.take()} {self.product()}"
        return latex

    def product(self) -> str:
        """Read factors. A division is over all factors before it."""
        factors = [self.power()]
        while self.next():
            if self.next() == "/":
                above = factors[-1:] if self.is_joined() else factors  # 1/r is a factor
                self.take()
                divided = without_brackets(r" \, ".join(above))
                fraction = rf"\frac{{{divided}}}{{{without_brackets(self.power())}}}"
                factors[-len(above) :] = [fraction]
            elif self.next() == "*":
                self.take()
                factor = self.power()
                if re.match(r"\d|\\text", factor) and re.fullmatch(r"\\text.*\}", factors[-1]):
                    factor = rf"{factors.pop()} \cdot {factor}"  # a space would join two words
                factors.append(factor)
            elif self.starts_factor():
                factors.append(self.power())
            else:
                break
        return r" \, ".join(factors)

    def starts_factor(self) -> bool:
        """Whether a factor comes next, without a sign before it."""
        token = self.next()
        return bool(re.match(r"\w|\(", token)) and token not in {*RELATIONS, "for", "of"}

    def power(self) -> str:
        """Read a factor and its exponent."""
        latex = self.factor()
        if self.next() in {"^", "**"}:
            self.take()
            latex += f"^{{{without_brackets(self.factor())}}}"
        return latex

    def factor(self) -> str:
        """Read a number, a name, a function or what is in brackets."""
        token, words = self.next(), self.words()
        if token in SIGNS and self.next(1) == "over":
            return self.sum_over()
        if token in SIGNS and self.next(1) == "(":
            return self.sum_of()
        if token == "-":
            return self.take() + self.factor()
        if token in BRACKETS:
            return self.in_brackets()
        is_text = len(words) == 2 and min(map(len, words)) > 1
        if (is_text or len(words) > 2) and words[1] != "in" and not {*words} & {*SIGNS}:
            self.at += len(words)
            return rf"\text{{{' '.join(words)}}}"
        self.take()
        if not re.match(r"\w", token):
            raise NotAFormulaError(token)
        if token[0].isdigit():
            return token
        if self.is_joined() and self.next() in {"(", "["}:
            return self.function(token)
        return name_as_latex(token)

    def function(self, name: str) -> str:
        """Read the arguments of a function, or the index of a variable."""
        if name == "sqrt":
            return rf"\sqrt{{{without_brackets(self.in_brackets())}}}"
        if self.next() == "(" or name in {"P", "E"}:
            return name_as_latex(name) + self.in_brackets()
        self.take("[")
        latex = f"{name_as_latex(name)}_{{{self.sum()}}}"
        self.take("]")
        return latex

    def in_brackets(self) -> str:
        """Read what is in brackets: relations, or text in those of a probability."""
        left = self.take(*BRACKETS)
        right, start = BRACKETS[left], self.at
        try:
            latex = self.relation()
            while self.next() in {",", ":"}:
                latex += f"{self.take()} {self.relation()}"
            self.take(right)
        except NotAFormulaError:
            if left != "[":
                raise
            self.at = start
            end = self.place_of(right)
            words = "".join(" " * space + token for token, space in self.tokens[start:end])
            latex, self.at = rf"\text{{{words.strip()}}}", end + 1
        escape = "\\" if left == "{" else ""
        return rf"\left{escape}{left} {latex} \right{escape}{right}"

    def sum_over(self) -> str:
        """Read "sum over ... of" and the product that is summed."""
        sign, start = SIGNS[self.take()], self.at + 1
        end = last_of = start
        while end < len(self.tokens) and self.tokens[end][0] not in {*"(/*+[{|", "**", "^"}:
            if self.tokens[end][0] == "of":
                last_of = end
            end += 1
        if last_of == start:
            raise NotAFormulaError(self.tokens)
        index = self.tokens[start:last_of]
        self.at = last_of + 1
        return f"{sign}{limits(index)} {self.product()}"

    def sum_of(self) -> str:
        """Read "sum(x)" or "sum(x for r = 1, ..., k)"."""
        sign = SIGNS[self.take()]
        self.take("(")
        latex, below = self.sum(), ""
        if self.next() == "for":
            self.take()
            end = self.place_of(")")
            below, self.at = limits(self.tokens[self.at : end]), end
        self.take(")")
        if self.next() in {"^", "**"}:
            return rf"\left( {sign}{below} {latex} \right)"
        is_clear = below or (self.next() in {"", "/", ")", ","} and not re.search(" [+-] ", latex))
        return f"{sign}{below} {latex}" if is_clear else rf"{sign} \left( {latex} \right)"


def limits(tokens: list[tuple[str, bool]]) -> str:
    """Return what is below and above the sign of a sum."""
    texts = [token for token, _ in tokens]
    if "..." in texts and texts[1] == "=":
        lowest = texts[texts.index("=") + 1]
        highest = texts[texts.index("...") + 2 :]
        above = Parser(" ".join(highest)).sum() if highest else r"\infty"
        return f"_{{{name_as_latex(texts[0])} = {lowest}}}^{{{above}}}"
    if len(texts) == 3 and texts[1] in RELATIONS:
        return f"_{{{Parser(' '.join(texts)).relation()}}}"
    words = re.sub(r"\b(\w)\b", r"}\1\\text{", " ".join(texts))  # letters are variables
    return rf"_{{\text{{{words}}}}}"


def without_brackets(latex: str) -> str:
    """Return LaTeX without the round brackets around all of it, if there are any."""
    depth, parts = 0, re.split(r"(\\left|\\right)", latex)
    for number, part in enumerate(parts):
        depth += (part == r"\left") - (part == r"\right")
        if depth == 0 and number > 0 and number < len(parts) - 2:
            return latex
    return latex[7:-8] if latex.startswith(r"\left( ") and latex.endswith(r" \right)") else latex


def as_latex(text: str) -> str:
    """Return formulas, one in a line, as LaTeX that is aligned at the first sign of equality.

    A line that begins with another operator goes on with the one before it.
    """
    if not re.search("[=/*^|]", text):
        raise NotAFormulaError(text)
    text = re.sub(r"\n\s*(?=[/*+-])", " ", text)
    lines = []
    for line in text.split("\n"):
        if re.search(r"[^,\s]\s{3,}[^=\s]", line):
            raise NotAFormulaError(line)  # columns of text
        latex = Parser(line).formula()
        lines.append(latex.replace(" = ", " &= ", 1) if "\n" in text else latex)
    return r" \\ ".join(lines)
