import { defineCommand } from '../../shared/command.ts';
import { parseChoice } from '../../shared/parse-values.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** The setup command of each shell. */
const SETUP: Readonly<Record<Shell, string>> = {
  bash: "echo 'source <(pegboard completion bash)' >> ~/.bashrc",
  zsh: "echo 'source <(pegboard completion zsh)' >> ~/.zshrc",
  fish: 'pegboard completion fish > ~/.config/fish/completions/pegboard.fish',
};

// Bash also splits words at = and :. So the line is split at blanks here, and the part up to the last of these is removed
// from each candidate. Candidates are never evaluated.
const BASH = `# Completion of pegboard for bash.
_pegboard() {
  local line=\${COMP_LINE:0:COMP_POINT} current='' reply value file skip=''
  local -a words=()
  IFS=$' \\t' read -r -a words <<< "$line"
  if [[ $line == *[[:blank:]] ]]; then words+=(''); fi
  current=\${words[\${#words[@]}-1]}
  if [[ $current == *[=:]* && $COMP_WORDBREAKS == *[=:]* ]]; then skip=\${current%"\${current##*[=:]}"}; fi
  COMPREPLY=()
  while IFS= read -r reply; do
    if [[ $reply == :files ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -- "\${current#"$skip"}")
      continue
    fi
    value=\${reply%%$'\\t'*}
    if [[ $value == *= ]]; then compopt -o nospace 2>/dev/null; fi
    COMPREPLY+=("\${value#"$skip"}")
  done < <(pegboard __complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -F _pegboard pegboard
`;

const ZSH = `#compdef pegboard
# Completion of pegboard for zsh.
_pegboard() {
  local reply value about
  local -a open closed open_about closed_about
  local wants_files=''
  for reply in "\${(@f)$(pegboard __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ -z $reply ]]; then continue; fi
    if [[ $reply == ':files' ]]; then wants_files=1; continue; fi
    value=\${reply%%$'\\t'*}
    about=\${reply#*$'\\t'}
    if [[ $about == $reply ]]; then about=''; fi
    if [[ -n $about ]]; then about="$value  -- $about"; else about=$value; fi
    if [[ $value == *= ]]; then open+=("$value"); open_about+=("$about"); else closed+=("$value"); closed_about+=("$about"); fi
  done
  if (( $#open )); then compadd -Q -l -S '' -d open_about -- "\${open[@]}"; fi
  if (( $#closed )); then compadd -Q -l -d closed_about -- "\${closed[@]}"; fi
  if [[ -n $wants_files ]]; then _files; fi
}
if ! (( $+functions[compdef] )); then autoload -Uz compinit && compinit; fi
compdef _pegboard pegboard
`;

const FISH = `# Completion of pegboard for fish.
function __pegboard_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for reply in (pegboard __complete -- $words[2..-1] "$current" 2>/dev/null)
        if test "$reply" = ':files'
            __fish_complete_path "$current"
        else
            echo $reply
        end
    end
end
complete -c pegboard -f -a '(__pegboard_complete)'
`;

const COMPLETION_SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };

export const completion = defineCommand({
  name: 'completion',
  description:
    'Prints a script that lets your shell complete commands, options, tool names, arguments and their values. Completion starts no server, runs no code of the board and uses no network.',
  arguments: [{ name: 'SHELL', description: `One of ${SHELLS.join(', ')}`, required: true, choices: SHELLS }],
  options: {},
  examples: SHELLS.map((shell) => [SETUP[shell], `for ${shell}`] as const),
  async run({ positionals: [wanted = ''], context }) {
    const shell = parseChoice(wanted, SHELLS, { option: 'The shell', command: 'completion' });
    const script = COMPLETION_SCRIPTS[shell];
    return {
      data: { shell, script, setup: SETUP[shell] },
      view: { text: script },
      notes: context.stdout.isTTY === true ? `Set it up with: ${SETUP[shell]}` : [],
    };
  },
});
