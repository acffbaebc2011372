#!/usr/bin/env bash
# What a pull or merge request changes: `northgate plan` of its manifests against those of the merge base, which is checked out
# beside it as a git worktree. Used by action.yml and by ci/gitlab/northgate-plan.yml. Ends with the exit code of the plan.
#
#   NORTHGATE_PATHS        folders and files of manifests, one a line, from the top of the repository
#   NORTHGATE_BASE_BRANCH  the branch that is merged into
#   NORTHGATE_FAIL_ON      changes that fail, one a line: allow-to-deny, deny-to-allow, unknown; empty: none
#   NORTHGATE_ARGS         more flags of plan, one a line: --dns=dns-system
#   NORTHGATE_REPORTS      a folder for comment.md, plan.sarif and plan.junit.xml
#   NORTHGATE_ANNOTATE     true: print workflow commands of GitHub Actions
#   NORTHGATE_HOME         where Northgate is; by default, beside this file
set -euo pipefail

home=${NORTHGATE_HOME:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}
reports=${NORTHGATE_REPORTS:-northgate}
branch=${NORTHGATE_BASE_BRANCH:?the branch that is merged into is not known}
mkdir -p "$reports"
reports=$(cd "$reports" && pwd)
cd "$(git rev-parse --show-toplevel)"

# A line of a variable, without blanks around it; no empty ones.
lines_of() { sed -e 's/^[[:space:]]*//' -e 's/[[:space:]]*$//' -e '/^$/d' <<<"${1:-}"; }

# Runs Northgate: from its sources, or as the npm package has it.
northgate() {
  if [ -f "$home/src/main.ts" ]; then node "$home/src/main.ts" "$@"; else node "$home/dist/main.js" "$@"; fi
}

# The merge base needs history, which checkouts of CI often lack.
git fetch --quiet --no-tags origin "+refs/heads/$branch:refs/remotes/origin/$branch"
if [ "$(git rev-parse --is-shallow-repository)" = true ]; then git fetch --quiet --no-tags --unshallow origin; fi
base=$(git merge-base "refs/remotes/origin/$branch" HEAD) || {
  echo "northgate: $branch and HEAD have no commit in common" >&2
  exit 1
}

work=$(mktemp -d)
old=$work/base
trap 'git worktree remove --force "$old" >/dev/null 2>&1 || true; rm -rf "$work"' EXIT
git worktree add --quiet --no-checkout --detach "$old" "$base"

# Only these paths are checked out: what else the repository holds is none of the plan's.
new=()
there=()
while IFS= read -r path; do
  path=${path#./}
  path=${path%/}
  if [ -e "$path" ]; then new+=(-f "$path"); fi
  if [ "$path" = . ] || git cat-file -e "$base:$path" 2>/dev/null; then there+=("$path"); fi
done < <(lines_of "${NORTHGATE_PATHS:-.}")
if [ ${#new[@]} -eq 0 ] && [ ${#there[@]} -eq 0 ]; then
  echo "northgate: none of the paths is in this commit or in the merge base: ${NORTHGATE_PATHS:-.}" >&2
  exit 1
fi
if [ ${#there[@]} -gt 0 ]; then git -C "$old" checkout --quiet "$base" -- "${there[@]}"; fi
if [ ${#new[@]} -eq 0 ]; then
  mkdir "$work/nothing"
  new=(-f "$work/nothing")
fi

plan=(plan "${new[@]}" --against "dir:$old")
while IFS= read -r change; do plan+=(--fail-on "$change"); done < <(lines_of "${NORTHGATE_FAIL_ON-}")
while IFS= read -r flag; do plan+=("$flag"); done < <(lines_of "${NORTHGATE_ARGS-}")

output=table
if [ "${NORTHGATE_ANNOTATE:-false}" = true ]; then output=github; fi
code=0
northgate "${plan[@]}" -o "$output" --report "markdown=$reports/comment.md" --report "sarif=$reports/plan.sarif" \
  --report "junit=$reports/plan.junit.xml" || code=$?
if [ ! -s "$reports/comment.md" ]; then
  echo "### Network policy plan: it could not be made; the log of the job says why" >"$reports/comment.md"
fi
exit "$code"
