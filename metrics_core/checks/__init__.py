"""Checks: do the files fit together, and do stored scores agree with computed ones?"""
