# Posts the comment FILE to the pull request, or writes the one of an earlier run anew: by its first
# line, and by its author, since anybody may write a comment that begins so. Where it cannot, it says
# why and ends well: the summary has the same, and the status is the gate's.

no_comment() {
  echo "No comment: $1 The step summary has the same content."
  exit 0
}

[ "$COMMENT" = true ] || no_comment "comments are turned off."
[ -s "$FILE" ] || no_comment "there are no gates."
[ -n "$PULL_REQUEST" ] || no_comment "this is not a pull request."
if [ "$GITHUB_EVENT_NAME" = pull_request ] && [ "$HEAD" != "$GITHUB_REPOSITORY" ]; then
  no_comment "the pull request is from a fork, whose token has no write access."
fi
[ -n "$GH_TOKEN" ] || no_comment "there is no token."
command -v gh > /dev/null || no_comment "gh is not installed."

# By GraphQL, since a token of GitHub Actions may not ask /user who it is.
whose=(graphql --raw-field "query={viewer{login}}" --jq .data.viewer.login)
author="$(gh api "${whose[@]}" 2> /dev/null)" || author="github-actions[bot]"
comments="repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments"
marker="$(head -n 1 "$FILE")"
if ! found="$(gh api --paginate "$comments?per_page=100" \
  --jq ".[] | select(.user.login == \"$author\" and (.body | startswith(\"$marker\"))) | .id")"; then
  no_comment "the comments of the pull request cannot be read; the token needs pull-requests: write."
fi
own="$(head -n 1 <<< "$found")"
if [ -n "$own" ]; then
  to=(--method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$own")
else
  to=(--method POST "$comments")
fi
gh api --silent "${to[@]}" --field "body=@$FILE" ||
  no_comment "GitHub refused it; the token needs pull-requests: write."
