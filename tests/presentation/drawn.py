"""What a fluid figure draws, read back from its HTML."""

import base64
import re
import xml.etree.ElementTree as ElementTree

SVG = "{http://www.w3.org/2000/svg}"


def picture(html: str) -> ElementTree.Element:
    """The lines of the first such figure."""
    coded = re.search(r"data:image/svg\+xml;base64,([\w+/=]+)", html)
    assert coded is not None
    return ElementTree.fromstring(base64.b64decode(coded[1]))


def courses(html: str) -> list[list[tuple[float, float]]]:
    """The spots of each line that is no grid, in thousandths of the width and in pixels from the top."""
    found, down = [], height(html)
    for path in picture(html).iter(f"{SVG}path"):
        if float(path.get("stroke-width", "1")) > 1:
            course = re.sub(r"H([-\d.]+)V", r"L\1 ", path.get("d", ""))
            spots = [each.split()[:2] for each in re.split("[ML]", course) if each]
            found.append([(float(x), float(y) * down / 1000) for x, y in spots])
    return found


def points(html: str) -> list[tuple[float, float]]:
    """Where marks stand, likewise."""
    mark = r'class="point[^"]*"[^>]* style="left:calc\(([-\d.]+)% - [\d.]+px\);top:calc\(([-\d.]+)% -'
    return [(10 * float(x), float(y) * height(html) / 100) for x, y in re.findall(mark, html)]


def height(html: str) -> float:
    """Pixels of the plot."""
    found = re.search(r"(?:height|max-width):(\d+)px", html)
    assert found is not None
    return float(found[1])
