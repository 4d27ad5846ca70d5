"""XML from outside, read without letting it define or fetch anything."""

from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException, ElementTree

from tarstop_core.errors import InputProblem
from tarstop_core.files.source import Source

LONGEST = 256 << 20  # Bytes of a file, which is read at once


def root_element(source: Source) -> Element:
    """Return the outermost element of an XML file.

    Raises
    ------
    InputProblem
        When it is too large, no XML, or has a document type: by entities of its own a small file can fill a memory.
    """
    with source.binary() as stream:
        content = stream.read(LONGEST + 1)
    if len(content) > LONGEST:
        raise InputProblem(f"{source.name} is larger than {LONGEST >> 20} MB; export it in parts.")
    try:
        root: Element = ElementTree.fromstring(content, forbid_dtd=True)
    except DefusedXmlException as problem:
        raise InputProblem(
            f"{source.name} defines XML entities, which exports never do; export it again."
        ) from problem
    except (ParseError, ValueError, LookupError) as problem:
        raise InputProblem(f"{source.name} is not well-formed XML; export it again.") from problem
    return root
