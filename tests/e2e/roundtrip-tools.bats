#!/usr/bin/env bats
# roundtrip-tools.bats - everyday programs: learnt in one copy, working in another one
load lib
load roundtrip

@test "round trip: git config --global" {
	need git
	fixture() {
		printf '[user]\n\tname = Someone\n' >"$HOME/.gitconfig"
	}
	roundtrip -- git config --global user.email someone@example.org
}

@test "round trip: touch a new file in home" {
	fixture() { :; }
	roundtrip -- sh -c 'echo setting >~/.mytoolrc'
}

@test "round trip: jq reads a setting" {
	need jq
	fixture() {
		mkdir -p "$HOME/.config/app"
		echo '{"a": 7, "b": 8}' >"$HOME/.config/app/a.json"
		echo '{}' >"$HOME/.config/app/b.json"
	}
	roundtrip -- sh -c 'jq .a ~/.config/app/a.json'
}

@test "round trip: sed -i replaces a setting by rename" {
	fixture() {
		mkdir -p "$HOME/.config/app"
		printf 'colour = red\nsize = 3\n' >"$HOME/.config/app/app.conf"
	}
	roundtrip -- sh -c 'sed -i s/red/blue/ ~/.config/app/app.conf'
}

@test "round trip: sqlite3 with its journal" {
	need sqlite3
	fixture() {
		mkdir -p "$HOME/.local/share/notes"
		sqlite3 "$HOME/.local/share/notes/n.sqlite" 'create table t (x); insert into t values (1);'
	}
	roundtrip -- sh -c 'sqlite3 ~/.local/share/notes/n.sqlite "insert into t values (2); select sum(x) from t"'
}

@test "round trip: tar packs the project into a backup directory" {
	fixture() {
		mkdir -p "$HOME/.local/share/backup"
		echo one >"$PROJ/one"
		echo two >"$PROJ/two"
	}
	roundtrip -- sh -c 'tar --sort=name --mtime=@0 --numeric-owner --owner=0 --group=0 -cf ~/.local/share/backup/project.tar one two'
}

@test "round trip: tar unpacks a tree from home" {
	fixture() {
		mkdir -p "$HOME/src/old"
		echo a >"$HOME/src/old/a"
		tar --sort=name --mtime=@0 -C "$HOME/src/old" -cf "$HOME/src/old.tar" .
	}
	roundtrip -- sh -c 'mkdir new && tar -C new -xf ~/src/old.tar && cat new/a'
}

@test "round trip: rsync copies a tree that it lists" {
	need rsync
	fixture() {
		local i
		mkdir -p "$HOME/src/tree/sub"
		for i in 1 2 3 4 5 6; do echo $i >"$HOME/src/tree/sub/f$i"; done
	}
	roundtrip -- sh -c 'rsync -rp ~/src/tree/ copy/'
}

@test "round trip: find lists settings" {
	fixture() {
		mkdir -p "$HOME/.config/list/d"
		touch "$HOME/.config/list/a.json" "$HOME/.config/list/d/b.json"
	}
	roundtrip -- sh -c 'cd ~/.config/list && find . -name "*.json" | sort'
}

@test "round trip: diff against a reference in home" {
	fixture() {
		mkdir -p "$HOME/.config/ref"
		printf 'a\nb\n' >"$HOME/.config/ref/wanted"
		printf 'a\nb\n' >"$PROJ/have"
	}
	roundtrip -- sh -c 'diff ~/.config/ref/wanted have && echo same'
}

@test "round trip: a cold cache in its own directory" {
	need perl
	fixture() { :; }
	roundtrip -- perl -e 'my $d = "$ENV{HOME}/.cache/acme"; mkdir $d; mkdir "$d/v1"; open my $f, ">", "$d/v1/x" or die; print $f "cached\n"'
}

@test "round trip: a script sources a file below home" {
	fixture() {
		mkdir -p "$HOME/.config/shell"
		echo 'greeting=hello' >"$HOME/.config/shell/env"
	}
	roundtrip -- sh -c '. ~/.config/shell/env && echo $greeting'
}

@test "round trip: a link in home and its target" {
	fixture() {
		mkdir -p "$HOME/.config/dots"
		echo 'set x' >"$HOME/.config/dots/toolrc"
		ln -s .config/dots/toolrc "$HOME/.toolrc"
	}
	roundtrip -- sh -c 'cat ~/.toolrc'
}

@test "round trip: openssl writes a key into its settings" {
	need openssl
	fixture() {
		mkdir -p "$HOME/.config/acme"
		printf '[req]\ndistinguished_name = d\n[d]\n' >"$HOME/.config/acme/openssl.cnf"
	}
	roundtrip '@differs=acme/out.pem' -- sh -c 'OPENSSL_CONF=~/.config/acme/openssl.cnf openssl genpkey -quiet -algorithm ed25519 -out ~/.config/acme/out.pem'
}

@test "round trip: a variable that a script reads" {
	fixture() {
		export ACME_LEVEL=seven
	}
	roundtrip -- sh -c 'echo "level $ACME_LEVEL"'
}

@test "round trip: zip reads files named on the command line" {
	need zip
	fixture() {
		mkdir -p "$HOME/src/z"
		echo z >"$HOME/src/z/z.txt"
		touch -d @1000000000 "$HOME/src/z/z.txt"
	}
	roundtrip '@differs=out.zip' -- sh -c 'zip -qXj out.zip ~/src/z/z.txt'
}

@test "round trip: ssh-keygen makes a key, which is a credential" {
	need ssh-keygen
	fixture() { :; }
	roundtrip @credentials '@differs=\.ssh/id_' -- sh -c 'ssh-keygen -q -t ed25519 -N "" -C key -f ~/.ssh/id_test'
}

@test "round trip: curl with its settings and a file from home" {
	need curl
	fixture() {
		echo 'silent' >"$HOME/.curlrc"
		mkdir -p "$HOME/.local/share/page"
		echo page >"$HOME/.local/share/page/index.html"
	}
	roundtrip -- sh -c 'curl -o got "file://$HOME/.local/share/page/index.html" && cat got'
}
