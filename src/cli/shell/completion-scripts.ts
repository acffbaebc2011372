// The texts of completion scripts for bash, zsh and fish. Pure: what commands there are is given. Every word of ours that
// a shell sees is quoted, and none of them is a user's. Names of a live world are asked of the program when the tab key is pressed.

export interface CompletedFlag {
  readonly long: string;
  readonly short: string | null;
  readonly help: string;
  /** What follows it; `names`: those of a world; a list: one of these. */
  readonly takes: "nothing" | "text" | "file" | "names" | readonly string[];
}

export interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly CompletedFlag[];
  /** Words that may follow the command. */
  readonly operands: readonly string[];
  /** The operand behind which names of a world follow; null: none do. */
  readonly namesBehind: string | null;
}

/** The hidden command that says what may stand for the last of the words behind `--`. */
export const completeWord = "__complete";

export const ofProgram = ["--help", "--version"];
const head = (shell: string) =>
  `# Completion of northgate for ${shell}. Made by \`northgate completion ${shell}\`; do not edit.\n`;

/** bash passes `--flag=value` as three words, because `=` divides words there. */
export function bashScript(commands: readonly CompletedCommand[]): string {
  return `${head("bash")}_northgate_names() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(
    "\${COMP_WORDS[0]}" ${completeWord} -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" "$cur" 2>/dev/null
  )
  if [[ \${#COMPREPLY[@]} -gt 0 && \${COMPREPLY[0]} == */ ]]; then compopt -o nospace 2>/dev/null; fi
}
_northgate() {
  local cur=\${COMP_WORDS[COMP_CWORD]} flag='' command='' word
  [[ $COMP_CWORD -gt 0 ]] && flag=\${COMP_WORDS[COMP_CWORD-1]}
  if [[ $cur == '=' ]]; then cur=''
  elif [[ $flag == '=' && $COMP_CWORD -gt 1 ]]; then flag=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in ${commands.map(({ name }) => name).join("|")}) command=$word; break ;; esac
  done
  COMPREPLY=()
  case "$command $flag" in
${cases(commands, valuesInBash)}
  esac
  if [[ $cur == -* ]]; then
    case $command in
${commands.map((one) => `      ${one.name}) COMPREPLY=($(compgen -W ${quoted(flagsOf(one).join(" "))} -- "$cur")) ;;`).join("\n")}
      *) COMPREPLY=($(compgen -W ${quoted(ofProgram.join(" "))} -- "$cur")) ;;
    esac
    return
  fi
  case $command in
${operandCases(commands, (words, behind) => {
  const among = `COMPREPLY=($(compgen -W ${quoted(words.join(" "))} -- "$cur"))`;
  return behind === null
    ? among
    : `if [[ " \${COMP_WORDS[*]:1:COMP_CWORD-1} " == *${quoted(` ${behind} `)}* ]]; then _northgate_names; else ${among}; fi`;
})}
  esac
}
complete -F _northgate northgate
`;
}

function valuesInBash({ takes }: CompletedFlag): string {
  if (takes === "file")
    return 'compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$cur")); return';
  if (takes === "names") return "_northgate_names; return";
  return typeof takes === "string"
    ? "return"
    : `COMPREPLY=($(compgen -W ${quoted(takes.join(" "))} -- "$cur")); return`;
}

export function zshScript(commands: readonly CompletedCommand[]): string {
  return `#compdef northgate
${head("zsh")}_northgate_names() {
  local -a found
  found=("\${(@f)$($words[1] ${completeWord} -- "\${(@)words[2,CURRENT-1]}" "$words[CURRENT]" 2>/dev/null)}")
  found=(\${found#--*=})
  compadd -S '' -- \${(M)found:#*/}
  compadd -- \${found:#*/}
}
_northgate() {
  local cur=$words[CURRENT] flag=$words[CURRENT-1] command='' word
  if [[ $cur == --*=* ]]; then flag=\${cur%%=*}; compset -P '*='; fi
  for word in \${words[2,CURRENT-1]}; do
    case $word in (${commands.map(({ name }) => name).join("|")}) command=$word; break ;; esac
  done
  case "$command $flag" in
${cases(commands, valuesInZsh)}
  esac
  if [[ $cur == -* ]]; then
    case $command in
${commands.map((one) => `      ${one.name}) compadd -- ${flagsOf(one).join(" ")} ;;`).join("\n")}
      *) compadd -- ${ofProgram.join(" ")} ;;
    esac
    return
  fi
  case $command in
${operandCases(commands, (words, behind) => {
  const among = `compadd -- ${words.join(" ")}`;
  return behind === null
    ? among
    : `if [[ " \${words[2,CURRENT-1]} " == *${quoted(` ${behind} `)}* ]]; then _northgate_names; else ${among}; fi`;
})}
  esac
}
compdef _northgate northgate
`;
}

function valuesInZsh({ takes }: CompletedFlag): string {
  if (takes === "file") return "_files; return";
  if (takes === "names") return "_northgate_names; return";
  return typeof takes === "string" ? "return" : `compadd -- ${takes.join(" ")}; return`;
}

/** What fish asks for names. The word under the cursor may begin with its flag. */
const namesInFish = `(northgate ${completeWord} -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null | string replace -r -- "^--[^=]+=" "")`;

export function fishScript(commands: readonly CompletedCommand[]): string {
  const lines = [
    "complete -c northgate -f",
    "complete -c northgate -n __fish_use_subcommand -l help -d 'display help'",
    "complete -c northgate -n __fish_use_subcommand -l version -d 'print the version'",
    ...commands.flatMap(({ name, summary, flags, operands, namesBehind }) => {
      const seen = `complete -c northgate -n '__fish_seen_subcommand_from ${name}'`;
      return [
        `complete -c northgate -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
        ...(operands.length === 0 ? [] : [`${seen} -a ${quoted(operands.join(" "))}`]),
        ...(namesBehind === null
          ? []
          : [
              `complete -c northgate -n '__fish_seen_subcommand_from ${name}; and __fish_seen_subcommand_from ${namesBehind}' -a ${quoted(namesInFish)}`,
            ]),
        ...flags.map((flag) => `${seen} ${flagInFish(flag)}`),
      ];
    }),
  ];
  return `${head("fish")}${lines.join("\n")}\n`;
}

function flagInFish({ long, short, help, takes }: CompletedFlag): string {
  const values =
    takes === "nothing"
      ? ""
      : takes === "file"
        ? " -r -F"
        : takes === "text"
          ? " -x"
          : ` -x -a ${quoted(takes === "names" ? namesInFish : takes.join(" "))}`;
  return `-l ${long}${short === null ? "" : ` -s ${short}`}${values} -d ${quoted(help)}`;
}

/** For flags that take a value: what may be there. */
function cases(commands: readonly CompletedCommand[], act: (flag: CompletedFlag) => string): string {
  return commands
    .flatMap(({ name, flags }) =>
      flags
        .filter(({ takes }) => takes !== "nothing")
        .map((flag) => {
          const names = [`--${flag.long}`, ...(flag.short === null ? [] : [`-${flag.short}`])];
          return `    ${names.map((one) => quoted(`${name} ${one}`)).join("|")}) ${act(flag)} ;;`;
        }),
    )
    .join("\n");
}

/** For words that are no flags: the command itself, or what may follow it. */
function operandCases(
  commands: readonly CompletedCommand[],
  act: (words: readonly string[], behind: string | null) => string,
): string {
  const all = commands.map(({ name }) => name);
  const own = commands.filter(({ operands }) => operands.length > 0);
  const lines = own.map(({ name, operands, namesBehind }) => `    ${name}) ${act(operands, namesBehind)} ;;`);
  return [`    '') ${act([...all, "help"], null)} ;;`, ...lines].join("\n");
}

function flagsOf({ flags }: CompletedCommand): readonly string[] {
  return flags.flatMap(({ long, short }) => [`--${long}`, ...(short === null ? [] : [`-${short}`])]);
}

/** For bash, zsh and fish alike: between single quotes nothing has a meaning. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}
