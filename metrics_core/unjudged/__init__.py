"""The possible and the likely effect of unjudged documents, and which documents to judge next."""
