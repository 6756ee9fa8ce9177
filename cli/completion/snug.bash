# bash completion for snug; made by snug --completion=bash from its option table
_snug()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb='' words='' i
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--) _command_offset $((i + 1)) 2>/dev/null; return ;;
		-*|+*) ;;
		*) [ -n "$verb" ] || verb=${COMP_WORDS[i]} ;;
		esac
	done
	[ "${COMP_WORDS[0]##*/}" = audit ] && verb=audit
	[ "$cur" = = ] && cur=''
	[ "$prev" = = ] && prev=${COMP_WORDS[COMP_CWORD-2]}
	case $prev in
	--network) words='none proxy host' ;;
	--check) words='all' ;;
	--format) words='text json' ;;
	--backend) words='auto notify' ;;
	--network-trace) words='names addresses off' ;;
	esac
	if [ -n "$words" ]; then
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
		return
	fi
	case $cur in
	+*) words=$("${COMP_WORDS[0]}" profile list 2>/dev/null | sed -n 's/^\([a-z0-9][^ ]*\).*/+\1/p') ;;
	-*) case $verb in
		run|'') words=' --profile= --allow-read= --allow-write --deny-read= --deny-write= --allow-net --deny-net= --network= --allow-env --deny-env= --env= --no-base --override --timeout= --denials --keep-fd= --best-effort --project-anyway --project= --cwd= -C --quiet -q --verbose --debug -v --help --help-all --version' ;;
		audit) words=' --profile= --allow-read= --allow-write --deny-read= --deny-write= --allow-net --deny-net= --network= --allow-env --deny-env= --env= --no-base --override --network-only --show-granted --audit-out= -o --update= --check --report= --format= --json --record= --no-keep --backend= --network-trace= --timeout= --force --verify --verify-limit= --minimise --shadow --keep-shadow= --apply --best-effort --project= --cwd= -C --quiet -q --verbose --debug -v --help --help-all --version' ;;
		trace) words=' --output= -o --backend= --network-trace= --timeout= --force --project= --cwd= -C --quiet -q --verbose --debug -v --help --help-all --version' ;;
		learn) words=' --profile= --allow-read= --allow-write --deny-read= --deny-write= --allow-net --deny-net= --network= --allow-env --deny-env= --env= --no-base --override --output= -o --update= --force --project= --cwd= -C --quiet -q --verbose --debug -v --help --help-all --version' ;;
		report) words=' --profile= --allow-read= --allow-write --deny-read= --deny-write= --allow-net --deny-net= --network= --allow-env --deny-env= --env= --no-base --override --show-granted --check --format= --json --project= --cwd= -C --quiet -q --verbose --debug -v --help --help-all --version' ;;
		why) words=' --profile= --allow-read= --allow-write --deny-read= --deny-write= --allow-net --deny-net= --network= --allow-env --deny-env= --env= --no-base --override --project= --cwd= -C --quiet -q --verbose --debug -v --help --help-all --version' ;;
		explain) words=' --profile= --allow-read= --allow-write --deny-read= --deny-write= --allow-net --deny-net= --network= --allow-env --deny-env= --env= --no-base --override --project-anyway --project= --cwd= -C --quiet -q --verbose --debug -v --help --help-all --version' ;;
		profile) words=' --cwd= -C --quiet -q --verbose --debug -v --help --help-all --version' ;;
		trust) words=' --cwd= -C --quiet -q --verbose --debug -v --help --help-all --version' ;;
		runs) words=' --quiet -q --verbose --debug -v --help --help-all --version' ;;
		check) words=' --format= --json --quiet -q --verbose --debug -v --help --help-all --version' ;;
		esac ;;
	*) [ -n "$verb" ] || words='run audit trace learn report why explain profile trust runs check' ;;
	esac
	if [ -n "$words" ]; then
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
		[[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
	fi
}
complete -F _snug snug audit
