"""Parse XML from untrusted files, which may neither define nor fetch entities."""

from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException, ElementTree

from tarstop_core.errors import InputProblem
from tarstop_core.files.source import Source

LONGEST = 256 << 20  # Bytes of a file, which is read at once


def root_element(source: Source) -> Element:
    """Parse an XML file and return its root element.

    Raises
    ------
    InputProblem
        When the file is too large, no XML, or has a document type, whose entities could expand without end.
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
