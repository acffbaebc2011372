# completion-capture.zsh SCRIPT LINE: what the function of the script offers for the last word of the line. The commands of zsh's
# completion that it calls say here what they would offer, because a real one needs a terminal.
module_path=($NORTHGATE_ZSH_MODULES)
autoload -Uz compinit
compinit -D -u
source $1
compadd() {
  local -a offered
  offered=(${argv[${argv[(i)--]} + 1,-1]})
  print -rl -- ${(M)offered:#${(b)PREFIX}*}
}
_files() { print -r -- FILES }
compset() { PREFIX=${PREFIX#*=} }
words=(${(z)2})
[[ $2 == *' ' ]] && words+=('')
CURRENT=$#words PREFIX=$words[-1]
_northgate
