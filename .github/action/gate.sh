# Compares, and keeps the snapshot that is asked for. What was found goes to the log, to the step's
# summary and to the folder REPORT; the status goes to the step's outputs, and this step itself ends
# well, so that those after it run. What each variable is stands in action.yml, by its name there.

core="$RUNNER_TEMP/ranklens/bin/metrics-core"
told="$RUNNER_TEMP/ranklens-told.txt"
outcome_file="$RUNNER_TEMP/ranklens-outcome.md"
mkdir -p "$REPORT"
rm -f "$told" "$outcome_file" "$REPORT/gate.json" "$REPORT/gate.xml" "$REPORT/comment.md"

# Puts each line of a text that is not blank into `given`, behind a prefix.
add() {
  while read -r line; do
    [ -z "$line" ] || given+=("$1$line")
  done <<< "$2"
}

given=(); add "" "$OPTIONS"; options=("${given[@]}")
given=(); add "" "$RUNS"; runs=("${given[@]}")
given=()
add --gate= "$GATES"
add --floor= "$FLOORS"
add --floor-shown= "$FLOORS_SHOWN"
add --overlap= "$OVERLAPS"
gates=("${given[@]}")

# The baseline of a pull request's target branch, and whether the pull request changes it.
compared="$BASELINE"
base="${GITHUB_BASE_REF:-}"
note="" why=""
digest() {
  python3 -I -c 'import hashlib, sys; print(hashlib.sha256(open(sys.argv[1], "rb").read()).hexdigest()[:12])' "$1" 2> /dev/null || echo "no file"
}
if [ -n "$base" ] && [ -n "$BASELINE" ]; then
  before="$RUNNER_TEMP/ranklens-base/${BASELINE##*/}"
  mkdir -p "$RUNNER_TEMP/ranklens-base"
  if ! git rev-parse --quiet --verify "refs/remotes/origin/$base" > /dev/null 2>&1; then
    # A whole checkout stays whole.
    depth=(); [ "$(git rev-parse --is-shallow-repository 2> /dev/null)" != true ] || depth=(--depth=1)
    why="$(git fetch --quiet "${depth[@]}" origin "+refs/heads/$base:refs/remotes/origin/$base" 2>&1)"
  fi
  name="\`${BASELINE//\`/}\`" branch="\`${base//\`/}\`" after="$(digest "$BASELINE")"
  if git show "refs/remotes/origin/$base:./$BASELINE" > "$before" 2> /dev/null; then
    [ "$BASELINE_FROM" != base ] || compared="$before"
    note="The baseline $name is the same on $branch ($after)."
    if [ "$(digest "$before")" != "$after" ]; then
      used="this pull request"; [ "$BASELINE_FROM" != base ] || used="$branch"
      note="⚠️ **The baseline $name changes in this pull request**, from $(digest "$before") on $branch to $after. The gate uses that of $used."
    fi
  elif [ "$BASELINE_FROM" = base ]; then
    compared=""
    why="The branch $base has no $BASELINE to compare with; commit the baseline there first. $why"
  elif git ls-files --error-unmatch -- "$BASELINE" > /dev/null 2>&1; then
    note="⚠️ **The baseline $name is new in this pull request** ($after)."
  fi
fi

status=0
if [ "$BASELINE_FROM" != base ] && [ "$BASELINE_FROM" != head ]; then
  echo "baseline-from is base or head, not $BASELINE_FROM." > "$told"
  status=2
elif [ ${#gates[@]} -gt 0 ] && [ -z "$BASELINE" ]; then
  echo "A gate needs a baseline: give a snapshot or a run." > "$told"
  status=2
elif [ ${#gates[@]} -gt 0 ] && [ -z "$compared" ]; then
  echo "$why" > "$told"
  status=2
elif [ ${#gates[@]} -gt 0 ]; then
  [ "$ALLOW_CHANGED" != true ] || gates+=(--allow-changed)
  [ -z "$QUERIES" ] || gates+=("--queries=$QUERIES")
  "$core" compare "${options[@]}" "${gates[@]}" "--if-unclear=$IF_UNCLEAR" --format=github \
    "--report=markdown=$outcome_file" "--report=junit=$REPORT/gate.xml" \
    "--report=json=$REPORT/gate.json" -- "$QRELS" "$compared" "${runs[@]}" 2> "$told"
  status=$?
  # Python ends with 1, too, where it cannot even begin.
  if [ "$status" = 1 ] && [ ! -s "$REPORT/gate.json" ]; then status=2; fi
elif [ -z "$SNAPSHOT" ]; then
  echo "Nothing to do: give gates, floors, overlaps, or a snapshot to write." > "$told"
  status=2
fi
if [ "$status" = 0 ] && [ -n "$SNAPSHOT" ]; then
  given=("--output=$SNAPSHOT")
  [ -z "$MEASURES" ] || given+=("--measure=$MEASURES")
  [ -z "$LABEL" ] || given+=("--label=$LABEL")
  [ -z "$QUERIES" ] || given+=("--queries=$QUERIES")
  [ -z "$BASELINE" ] || given+=("--after=$BASELINE")
  "$core" snapshot "${options[@]}" "${given[@]}" -- "$QRELS" "${runs[@]}" 2>> "$told" || status=$?
fi

# What was noted quotes files, in which a line may read like a command to the runner.
if [ -s "$told" ]; then
  stop="ranklens-$RANDOM$RANDOM$RANDOM"
  echo "::stop-commands::$stop"
  cat "$told"
  echo "::$stop::"
fi

# The worst that was found, by the words of the JSON.
case "$status" in
  0 | 1 | 3) words=(worse below "cannot tell" "not worse" held) ;;
  4) outcome=changed ;;
  *)
    outcome=error
    { echo "## ❌ The gate could not be computed"; echo; head -n 50 "$told" | cut -c -500 | iconv -c -f utf-8 -t utf-8 | sed 's/^/    /'; } > "$outcome_file"
    cat "$outcome_file" >> "$GITHUB_STEP_SUMMARY"
    echo "::error title=Ranklens::The gate could not be computed; see the log."
    ;;
esac
for word in "${words[@]}"; do
  if grep -qsF "\"outcome\": \"$word\"" "$REPORT/gate.json"; then
    outcome="$word"
    break
  fi
done

{
  echo "status=$status"
  echo "outcome=$outcome"
} >> "$GITHUB_OUTPUT"
if [ -s "$outcome_file" ]; then
  [ -z "$note" ] || { echo; echo "$note"; } | tee -a "$outcome_file" "$GITHUB_STEP_SUMMARY"
  # By the first line a later run finds the comment that is its own.
  { echo "<!-- ranklens: ${NAME//[^A-Za-z0-9._-]/-} -->"; cat "$outcome_file"; } > "$REPORT/comment.md"
  echo "comment=$REPORT/comment.md" >> "$GITHUB_OUTPUT"
fi
