"""A picture as text: rectangles, lines and words, in SVG.

The fonts are the reader's, so a drawing leaves room around its words. ``COLOURS`` has each colour
for light pages and for dark ones. The guide has the light ones, which ``_static/pictures.css``
inverts on dark pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

# For light pages and for dark ones. The blue and the orange are those of ranking_scores.plotting.
COLOURS = {
    "ink": ("#1b1f24", "#e6e9ec"),
    "quiet": ("#59636e", "#a0a8b0"),
    "rule": ("#b4bbc3", "#535b64"),
    "blank": ("#eef0f2", "#262b31"),
    "blue": ("#0072b2", "#4fb3e8"),
    "on-blue": ("#ffffff", "#0d1117"),
    "orange": ("#c25e00", "#f0a13c"),
    "pale-blue": ("#cfe5f3", "#153f5a"),
    "pale-orange": ("#fbe3c8", "#5a3712"),
}


class Picture:
    """A drawing of a given size, with the origin at its top left."""

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        self.elements: list[str] = []

    def rectangle(
        self, x: float, y: float, width: float, height: float, fill: str, *, stroke: str = ""
    ) -> None:
        """Add a rectangle, filled with one colour and perhaps framed with another."""
        frame = f" by-{stroke}" if stroke else ""
        self.elements.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="2" '
            f'class="{fill}{frame}"/>'
        )

    def line(
        self,
        points: Sequence[tuple[float, float]],
        stroke: str,
        *,
        width: float = 1,
        dashes: str = "",
        arrow: bool = False,
    ) -> None:
        """Add a line through points, perhaps dashed, perhaps with an arrowhead at its end."""
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        extra = f' stroke-dasharray="{dashes}"' if dashes else ""
        self.elements.append(
            f'<polyline points="{path}" class="none by-{stroke}" stroke-width="{width:g}"{extra}/>'
        )
        if arrow:
            (x0, y0), (x, y) = points[-2:]
            length = ((x - x0) ** 2 + (y - y0) ** 2) ** 0.5
            along, across = (x - x0) / length, (y - y0) / length
            head = [
                (x, y),
                (x - 7 * along - 3.5 * across, y - 7 * across + 3.5 * along),
                (x - 7 * along + 3.5 * across, y - 7 * across - 3.5 * along),
            ]
            path = " ".join(f"{x:.5g},{y:.5g}" for x, y in head)
            self.elements.append(f'<polygon points="{path}" class="{stroke}"/>')

    def circle(self, x: float, y: float, radius: float, fill: str) -> None:
        """Add a disc."""
        self.elements.append(f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" class="{fill}"/>')

    def text(
        self,
        x: float,
        y: float,
        words: object,
        *,
        fill: str = "ink",
        size: float = 14,
        anchor: str = "start",
        bold: bool = False,
        code: bool = False,
    ) -> None:
        """Add words, whose baseline is at `y`."""
        extra = ' font-weight="600"' if bold else ""
        self.elements.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" text-anchor="{anchor}" '
            f'class="{fill}{" code" if code else ""}"{extra}>{escape(str(words))}</text>'
        )

    def cell(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        words: object,
        fill: str,
        **text: object,
    ) -> None:
        """Add a framed rectangle with words in its middle."""
        self.rectangle(x, y, width, height, fill, stroke="rule")
        self.text(x + width / 2, y + height / 2 + 5, words, anchor="middle", **text)  # type: ignore[arg-type]

    def to_svg(self, *, follows_system: bool = False) -> str:
        """Return the picture, in light colours or in those that the system asks for."""
        light, dark = (
            "".join(
                f".{name}{{fill:{both[which]}}}.by-{name}{{stroke:{both[which]}}}"
                for name, both in COLOURS.items()
            )
            for which in (0, 1)
        )
        style = f"text{{font-family:system-ui,sans-serif}}.code{{font-family:monospace}}{light}"
        style += ".none{fill:none}"
        if follows_system:
            style += f"@media(prefers-color-scheme:dark){{{dark}}}"
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width:g}" '
            f'height="{self.height:g}" viewBox="0 0 {self.width:g} {self.height:g}">',
            f"<style>{style}</style>",
            *self.elements,
            "</svg>",
        ]
        return "\n".join(lines) + "\n"
