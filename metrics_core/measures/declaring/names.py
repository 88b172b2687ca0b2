"""Find the measure for a name. Names of ir_measures, trec_eval and common use are recognised, in
upper or lower case."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any, TypeVar

from metrics_core.base.errors import ParameterError, RanklensError, UnknownMeasureError
from metrics_core.base.notes import Note
from metrics_core.base.plugins import failed_packages
from metrics_core.measures.declaring.registry import (
    Declaration,
    Measure,
    count_declarations,
    declarations,
    fold_name,
)

_NAME = re.compile(r"^\s*(?P<name>[^@()]+?)\s*(\((?P<inside>.*)\))?\s*(@\s*(?P<at>\S+))?\s*$")
_AT = re.compile(r"[\s_\-]at[\s_\-]?(?P<at>\d+|k)\s*$", re.IGNORECASE)
_LEVEL = re.compile(r"-l(?P<rel>\d+)\s*$")
_SIMILARITY = re.compile(
    r"(?:cosine|cos_sim|dot|dot_score|euclidean|manhattan)[_-](?P<name>[a-z]+)(?:@|_at_)(?P<k>\d+)",
    re.IGNORECASE,
)
"""Pattern of the names in sentence-transformers that begin with the similarity used for ranking."""
_SENTENCE_TRANSFORMERS_MEASURES = {"accuracy": "Success", "map": "AP(denominator=min)"}
"""Names that may follow the similarity in a name of sentence-transformers, and that have a
different meaning here. The values are the measures that sentence-transformers means."""
_AT_K = {"hits": "Success", "f1": "F"}
"""Names that mean a different measure if they are followed by a cutoff."""
_NO_MEASURE = {
    "hole": "BEIR's Hole@k counts documents that appear in no query's judgments. Unjudged@k counts"
    " documents that are not judged for the query itself.",
    "acc": "The share of queries with a relevant document among the first k is Success@k; Accuracy"
    " compares pairs of documents.",
}
"""Names of measures that are not available here or are ambiguous, each with a hint to the closest
measure."""


Value = TypeVar("Value")
GivenMeasure = Any
"""A measure, given as its name, a Measure, or a measure object of ir_measures."""


def parse_measure(text: GivenMeasure) -> Measure:
    """Return the measure for a name, in upper or lower case.

    Examples are `nDCG@10`, `P(rel=2)@5`, trec_eval's `ndcg_cut_10`, ranx's `map-l2` and `rbp.95`,
    and common names such as `precision@5`, `recall_at_10` and `mrr`. A Measure is returned
    unchanged. An object of ir_measures is parsed from its name. Raises UnknownMeasureError and
    ParameterError."""
    return text if isinstance(text, Measure) else _parse_name(str(text), count_declarations())


def parse_measures(names: GivenMeasure | Iterable[GivenMeasure]) -> list[Measure]:
    """Return one or several measures as a list, without duplicates.

    Raises the errors of `parse_measure`, and RanklensError if `names` contains no measure."""
    return list(dict.fromkeys(parse_measures_by_name(names).values()))


def parse_measures_by_name(names: GivenMeasure | Iterable[GivenMeasure]) -> dict[str, Measure]:
    """Return one or several measures as a dictionary. Each key is the name as it was written, or
    the canonical name if the measure was not given as a string. Raises the errors of
    `parse_measures`."""
    is_single = isinstance(names, (str, Measure)) or not isinstance(names, Iterable)
    measures = {str(m): parse_measure(m) for m in ([names] if is_single else names)}
    if not measures:
        raise RanklensError("No measure is given.", 'Name at least one, such as "nDCG@10".')
    return measures


class ByMeasure(dict[str, Value]):
    """Values of measures by name. A value can be looked up under any name of its measure:
    `scores["AP"]` is found even if the name was written as "MAP"."""

    def __missing__(self, name: str) -> Value:
        measure = parse_measure(name)
        for given_name, value in self.items():
            if parse_measure(given_name) == measure:
                return value
        raise KeyError(f"{name} (there are: {', '.join(self)})")


def find_declaration(name: str) -> Declaration:
    """Return the declaration for any name of a measure, with or without parameters.

    Raises UnknownMeasureError and ParameterError."""
    match = _NAME.match(_AT.sub("", name))
    declaration = _find_by_name(match["name"]) if match is not None else None
    return declaration or parse_measure(name).declaration


@lru_cache(maxsize=1024)
def _parse_name(text: str, _declared: int) -> Measure:
    preset = _parse_preset(text.strip()) or _parse_trec_name(text.strip())
    if preset is not None:
        return preset
    by_similarity = _SIMILARITY.fullmatch(text.strip())
    if by_similarity is not None:
        name, k = by_similarity["name"], by_similarity["k"]
        return _parse_name(
            f"{_SENTENCE_TRANSFORMERS_MEASURES.get(name.lower(), name)}@{k}", _declared
        )
    level = _LEVEL.search(text)
    plain = _AT.sub(r"@\g<at>", _LEVEL.sub("", text))
    match = _NAME.match(plain)
    if match is None:
        raise UnknownMeasureError(text, _measure_names(), failed_packages())
    name = match["name"]
    declaration, values = _find_measure_and_values(
        _AT_K.get(fold_name(name), name) if match["at"] else name
    )
    values = values | _parse_arguments(text, match["inside"] or "")
    if match["at"] is not None:
        parameter_name = declaration.at
        if declaration.parameter(parameter_name) is None:
            raise ParameterError(
                f"{declaration.name} takes no {parameter_name}, so {text!r} is not possible.",
                f"It uses the whole list. Write {declaration.name}.",
            )
        if parameter_name in values:
            raise ParameterError(f"{text}: the {parameter_name} is given twice.")
        values[parameter_name] = parse_value(match["at"])
    if level is not None:
        if "rel" in values:
            raise ParameterError(f"{text}: rel is given twice.")
        values["rel"] = _relevant_grade(declaration, parse_value(level["rel"]), text)
    return declaration(**values)


def _find_measure_and_values(name: str) -> tuple[Declaration, dict[str, Any]]:
    """Return the measure to which a name refers, and the parameter values that the name implies.
    The name must not contain parameters or a cutoff."""
    declaration = _find_by_name(name)
    if declaration is not None:
        return declaration, {}
    for d in declarations():
        for preset, values in d.presets.items():
            match = re.fullmatch(_preset_pattern(preset), name, re.IGNORECASE)
            if match is not None:
                return d, {**values, **{p: parse_value(v) for p, v in match.groupdict().items()}}
    raise UnknownMeasureError(
        name, _measure_names(), failed_packages(), _NO_MEASURE.get(fold_name(name), "")
    )


@cache
def _preset_pattern(name: str) -> str:
    """Return the regular expression for a preset name. `{p}` in the name matches the decimal point
    and decimals of a share: `.95`."""
    return re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>\\.\\d+)", re.escape(name))


def _relevant_grade(declaration: Declaration, level: Any, text: str) -> Any:
    """Return the value of `rel` for the suffix -l of a ranx name. The suffix -l2, for example,
    means that grades of 2 and above are relevant; `level` is the number in the suffix.

    Raises ParameterError for a measure that uses the gain of each grade, because such a measure has
    no threshold."""
    rel_parameter = declaration.parameter("rel")
    if rel_parameter is None or rel_parameter.optional:
        raise ParameterError(
            f"{declaration.name} uses the gain of each grade, so {text!r} is not possible.",
            f"Leave out -l{level}.",
        )
    return level


def name_notes(names: Iterable[GivenMeasure]) -> list[Note]:
    """Return notes that say how ambiguous names were interpreted, one per measure."""
    notes: list[Note] = []
    noted = set()
    for text in (n for n in names if isinstance(n, str)):
        measure = parse_measure(text)
        folded_name = fold_name(re.split(r"[@(]", _AT.sub("", text))[0])
        for name, others in measure.declaration.also_means.items():
            if folded_name == fold_name(name) and measure.declaration.name not in noted:
                noted.add(measure.declaration.name)
                k = "k" if measure.cutoff is None else f"{measure.cutoff}"
                verb = "is" if text == str(measure) else f"is read as {measure}:"
                meaning = f"{text} {verb} {measure.declaration.gloss.format(k=k)}"
                notes.append(Note("two_meanings", f"{meaning}; {others.format(k=k)}", 1))
    return notes


def _measure_names() -> dict[str, str]:
    """Return a dictionary from every name of every measure to the measure's canonical name."""
    return {
        name: d.name for d in declarations() for name in (*_trec_eval_names(d), *d.aliases, d.name)
    }


def _trec_eval_names(declaration: Declaration) -> list[str]:
    return [
        trec_measure.plain_name
        for trec_measure in declaration.in_trec_eval
        if trec_measure.patterns
    ]


def _find_by_name(name: str) -> Declaration | None:
    named = next((d for d in declarations() if d.name == name), None)
    if named is not None:
        return named
    folded_name = fold_name(name)
    for d in declarations():
        if folded_name in {fold_name(n) for n in (d.name, *d.aliases, *_trec_eval_names(d))}:
            return d
    return None


def _parse_trec_name(text: str) -> Measure | None:
    for d in declarations():
        for pattern in d.trec_eval:
            match = re.fullmatch(_trec_eval_pattern(pattern), text, re.IGNORECASE)
            if match:
                return d(**{name: parse_value(value) for name, value in match.groupdict().items()})
    return None


def _parse_preset(text: str) -> Measure | None:
    """Return the measure for a preset name of trec_eval, with the parameter values that the name
    implies; None if there is no such preset. The name is case-sensitive, because trec_eval's rbp
    and ir_measures' RBP have different defaults."""
    for d in declarations():
        for trec_measure in d.in_trec_eval:
            if trec_measure.values and trec_measure.name == text:
                return d(**trec_measure.values)
    return None


@cache
def _trec_eval_pattern(name: str) -> str:
    """Return the regular expression for a trec_eval name. The parameter follows an underscore, or a
    dot as in the option -m."""
    return re.sub(r"_\\\{(\w+)\\\}", r"[._](?P<\1>\\d*\\.?\\d+)", re.escape(name))


def parse_value(text: str) -> Any:
    """Parse the value of a parameter in a measure's name: a number, True, a word, or a table such
    as {1:3,2:9}."""
    text = text.strip()
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            continue
    if text.startswith("{") and text.endswith("}"):
        pairs = [part.partition(":") for part in text[1:-1].split(",") if part.strip()]
        return [(parse_value(grade), parse_value(gain)) for grade, _, gain in pairs]
    if text.startswith("[") and text.endswith("]"):
        return [parse_value(part) for part in text[1:-1].split(",") if part.strip()]
    return text.strip("'\"")


_ARGUMENT = re.compile(r"(?:[^,{\['\"]|\{[^}]*\}|\[[^\]]*\]|'[^']*'|\"[^\"]*\"|[{\['\"])+")


def _parse_arguments(measure_name: str, arguments: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for part in filter(None, (p.strip() for p in _ARGUMENT.findall(arguments))):
        name, equals, value = part.partition("=")
        if not equals:
            raise ParameterError(
                f"{measure_name}: {part!r} has no name.", "Name each parameter: P(rel=2)@5."
            )
        if name.strip() in values:
            raise ParameterError(f"{measure_name}: {name.strip()} is given twice.")
        values[name.strip()] = parse_value(value)
    return values
