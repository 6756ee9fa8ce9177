#!/usr/bin/env bats
# flagship-live.bats - the flagship against the registry npm is configured for (live: needs the network)
load lib

setup() {
	need node npm curl
	[ -z "${SNUG_OFFLINE:-}" ] || skip "SNUG_OFFLINE is set"
	REGISTRY=${SNUG_LIVE_REGISTRY:-$(npm config get registry)}
	curl -fsS --max-time 10 -o /dev/null "${REGISTRY%/}/ms" 2>/dev/null || skip "the registry npm is configured for does not answer"
	ca=${NODE_EXTRA_CA_CERTS:-}
	snug_setup
	[ -z "$ca" ] || export NODE_EXTRA_CA_CERTS=$ca
	# where it is not the public one, one more grant
	host=${REGISTRY#*://}
	host=${host%%/*}
	GRANT=--allow-net=$host
	export npm_config_registry=$REGISTRY npm_config_fund=false
}

@test "live: audit +node -- npm install, then confined: the same tree" {
	echo '{"name":"app","version":"1.0.0","dependencies":{"ms":"2.1.3","has-flag":"4.0.0"}}' >package.json
	echo 'fund=false' >"$HOME/.npmrc"
	run "$SNUG" audit +node "$GRANT" --allow-env=npm_config_registry,npm_config_fund,NODE_EXTRA_CA_CERTS -- npm install
	echo "$output"
	assert_status 0
	assert_out '~/.npmrc'
	refute_out " $host"
	mv node_modules "$WORK/audited"
	rm package-lock.json
	"$SNUG" +node "$GRANT" --allow-env=npm_config_registry,npm_config_fund,NODE_EXTRA_CA_CERTS \
		${NODE_EXTRA_CA_CERTS:+--allow-read="$NODE_EXTRA_CA_CERTS"} --profile "$(suggested)" -- npm install
	assert_same_tree "$WORK/audited" node_modules
}
