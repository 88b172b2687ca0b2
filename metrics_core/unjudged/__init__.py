"""Unjudged documents: their possible and likely effect, and which of them to judge next."""
