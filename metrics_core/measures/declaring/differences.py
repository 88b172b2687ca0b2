"""Where other packages give other numbers, and why: data for docs/measures.md and the tests.

Everything not named here is equal to 1e-9, query by query, on random data (tests/oracle).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Difference:
    """`measures` (their names here; "*" is all of the package) differ from those of `package`:
    `what` differs, and `why`, both whole sentences."""

    measures: tuple[str, ...]
    package: str
    what: str
    why: str


DIFFERENCES: tuple[Difference, ...] = (
    Difference(
        ("*",),
        "ir_measures",
        "Documents with equal scores may come in another order.",
        "Its providers disagree: pytrec_eval and gdeval put the last doc_id first, as here;"
        " Judged, Compat, RR@k and the measures of subtopics the first doc_id; cwl_eval and"
        " Accuracy keep the order of the input.",
    ),
    Difference(
        ("*",),
        "pytrec_eval",
        "Scores that differ only beyond single precision may come in another order.",
        "trec_eval before 10.0 keeps scores in single precision and sees a tie; here, as in 10.0,"
        " they are double precision.",
    ),
    Difference(
        ("ERR", "nDCG"),
        "gdeval",
        "ERR@k and nDCG(dcg='exp-log2')@k differ from the sixth decimal on.",
        "gdeval.pl, which ir_measures runs for them, prints five decimals.",
    ),
    Difference(
        ("ERR",),
        "gdeval",
        "A grade above 4 counts as 4, or as max_rel.",
        "gdeval.pl ends with an error at such a grade, and at query ids that are not numbers.",
    ),
    Difference(
        ("ERR",),
        "ir_measures",
        "ERR without a cutoff has a value.",
        "No provider of ir_measures computes it without one.",
    ),
    Difference(
        ("RBP",),
        "cwl_eval",
        "RBP(rel=…) is (1 − p^1000) times as large as there, and goes on below rank 1,000.",
        "cwl_eval weighs 1,000 ranks so that they add up to 1; the published formula has weights"
        " that add up to 1 over endless ranks. For p up to 0.97 the first 12 digits are equal.",
    ),
    Difference(
        ("RBP",),
        "ir_measures",
        "RBP without rel, and RBP@k, have values.",
        "No provider of ir_measures computes them; here graded RBP is ranx's and trec_eval's.",
    ),
    Difference(
        ("RBP",),
        "trec_eval",
        "rbp of version 10.0 scales the grades of a query to [0, 1] where one lies outside.",
        "Here each grade is its gain, as published and in ranx. What trec_eval's binary prints"
        " depends on its compiler, as its m_rbp.c never sets the least and greatest it scales by;"
        " our trec_eval command line starts both at 0, which gives what NIST's own tests expect.",
    ),
    Difference(
        ("SDCG", "BPM", "INSQ", "INST", "NERR8", "NERR9", "NERR10", "NERR11"),
        "cwl_eval",
        "min_rel cannot be negative, and max_rel need not be given.",
        "Negative grades are no judgments here. In ir_measures max_rel is required; here the"
        " highest grade of all judgments stands in for it.",
    ),
    Difference(
        ("Compat",),
        "ir_measures",
        "Judged documents that the run lacks stand last among those of their grade in the ideal"
        " list, also where the run has negative scores.",
        "ir_measures gives them the score 0, so that they come before documents of negative score.",
    ),
    Difference(
        ("Accuracy",),
        "ir_measures",
        "A query for which every listed document is relevant is undefined and left out.",
        "ir_measures ends with a division by zero.",
    ),
    Difference(
        ("Judged",),
        "ir_measures",
        "A document with a negative grade is not judged.",
        "ir_measures counts every document that the judgments name.",
    ),
    Difference(
        ("*",),
        "pyndeval",
        "Cutoffs beyond 20, and judged_only, have values.",
        "ndeval knows 20 ranks; ir_measures' judged_only of its measures ends with an error.",
    ),
    Difference(
        ("*",),
        "pyndeval",
        "Measures with different rel, alpha or beta can be asked for at once.",
        "ir_measures reads the run for the first of them; the others find nothing left and get 0.",
    ),
    Difference(
        ("ERR_IA", "alpha_DCG"),
        "pyndeval",
        "At cutoff 1 the value is divided by the number of subtopics, as at every other cutoff.",
        "ndeval's loop that divides starts at the second rank.",
    ),
    Difference(
        ("nNRBP",),
        "pyndeval",
        "0 for a query without any relevant document.",
        "ndeval divides 0 by 0.",
    ),
    Difference(
        ("IPrec",),
        "pytrec_eval",
        "A recall level may ask for one document less.",
        "trec_eval rounds r·R to the nearest whole number since 10.0; 9.0.8, which pytrec_eval and"
        " ir_measures run, took the whole part of r·R + 0.9: rounding='up' here. Inside ir_measures"
        " the provider of Ranklens rounds so.",
    ),
    Difference(
        ("NumRel",),
        "pytrec_eval",
        "NumRel(rel=…) counts documents of at least that grade.",
        "pytrec_eval cannot; ir_measures therefore has no NumRel but for rel=1.",
    ),
    Difference(
        ("Bpref",),
        "ranx",
        "Documents with a negative grade are left out of account.",
        "ranx takes them for judged and not relevant.",
    ),
    Difference(
        ("Bpref",),
        "ranx",
        "A query without judged documents that are not relevant, or without relevant ones, has a"
        " value.",
        "ranx divides by min(R, N), which is 0 then, and by R.",
    ),
    Difference(
        ("RBP",),
        "ranx",
        "RBP(rel=…) gives each relevant document a gain of 1.",
        "ranx's rbp.80-l2 leaves out grades below 2 but keeps the grade as the gain.",
    ),
    Difference(
        ("nDCG", "DCG"),
        "ranx",
        "Grades between 0 and 1 gain what they are.",
        "ranx counts only grades from its rel_lvl (1 by default), and wants whole numbers.",
    ),
)
"""Each difference that remains, with its reason."""
