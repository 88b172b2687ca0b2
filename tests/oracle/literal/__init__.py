"""Every measure once more, slowly and literally, for one query: what the array kernels must equal.

A ranking is a list of grades, best rank first, None where nobody judged the document; `judged` are
all grades of the query. Nothing outside tests/oracle has measures in this form. A family's twins
stand in a module of their own; every module of this folder is imported here.
"""

from importlib import import_module
from pkgutil import iter_modules

from tests.oracle.literal.catalogue import CATALOGUE, Case
from tests.oracle.literal.registry import LITERAL, documents_of, ranking_of

__all__ = ["CATALOGUE", "LITERAL", "Case", "documents_of", "ranking_of"]

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
