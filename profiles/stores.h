/* stores.h - credential stores below home: one list for what is suggested, for risks, and for shadows; pure */
#pragma once

/*
 * ROW(path below home, RISK_x, what it holds, WHOLE or INSIDE). INSIDE: one file among what a program keeps for itself,
 * so its directory is not forbidden to a suggestion unless the command used the file. No row lies in another. The mask of
 * profiles/std/shadow.yaml has each of them, which a unit test sees to.
 */
#define CREDENTIAL_STORES(ROW) \
	ROW(".ssh", SIGNING, "private keys", WHOLE) \
	ROW(".gnupg", SIGNING, "private keys", WHOLE) \
	ROW(".pki", SIGNING, "certificates and keys", WHOLE) \
	ROW(".step", SIGNING, "private keys", WHOLE) \
	ROW(".config/age", SIGNING, "private keys", WHOLE) \
	ROW(".config/sops", SIGNING, "private keys", WHOLE) \
	ROW(".minisign", SIGNING, "private keys", WHOLE) \
	ROW(".putty", SIGNING, "private keys", WHOLE) \
	ROW(".aws", DATA, "cloud credentials", WHOLE) \
	ROW(".azure", DATA, "cloud credentials", WHOLE) \
	ROW(".config/gcloud", DATA, "cloud credentials", WHOLE) \
	ROW(".boto", DATA, "cloud credentials", WHOLE) \
	ROW(".s3cfg", DATA, "cloud credentials", WHOLE) \
	ROW(".passwd-s3fs", DATA, "cloud credentials", WHOLE) \
	ROW(".mc", DATA, "cloud credentials", WHOLE) \
	ROW(".oci", DATA, "cloud credentials", WHOLE) \
	ROW(".bluemix", DATA, "cloud credentials", WHOLE) \
	ROW(".aliyun", DATA, "cloud credentials", WHOLE) \
	ROW(".config/doctl", DATA, "cloud credentials", WHOLE) \
	ROW(".config/hcloud", DATA, "cloud credentials", WHOLE) \
	ROW(".config/linode-cli", DATA, "cloud credentials", WHOLE) \
	ROW(".config/scw", DATA, "cloud credentials", WHOLE) \
	ROW(".config/openstack", DATA, "cloud credentials", WHOLE) \
	ROW(".config/rclone", DATA, "cloud credentials", WHOLE) \
	ROW(".rclone.conf", DATA, "cloud credentials", WHOLE) \
	ROW(".fly", DATA, "cloud credentials", WHOLE) \
	ROW(".terraform.d/credentials.tfrc.json", DATA, "access tokens", INSIDE) \
	ROW(".terraformrc", DATA, "access tokens", WHOLE) \
	ROW(".pulumi/credentials.json", DATA, "access tokens", INSIDE) \
	ROW(".vault-token", DATA, "access tokens", WHOLE) \
	ROW(".vault_pass", DATA, "passwords", WHOLE) \
	ROW(".vault_pass.txt", DATA, "passwords", WHOLE) \
	ROW(".ansible_vault_pass", DATA, "passwords", WHOLE) \
	ROW(".ansible/vault", DATA, "passwords", INSIDE) \
	ROW(".kube", DATA, "cluster credentials", WHOLE) \
	ROW(".config/argocd", DATA, "cluster credentials", WHOLE) \
	ROW(".docker", DATA, "registry credentials", WHOLE) \
	ROW(".dockercfg", DATA, "registry credentials", WHOLE) \
	ROW(".config/containers/auth.json", DATA, "registry credentials", INSIDE) \
	ROW(".config/helm/registry", DATA, "registry credentials", INSIDE) \
	ROW(".pypirc", DATA, "registry credentials", WHOLE) \
	ROW(".config/pypoetry/auth.toml", DATA, "registry credentials", INSIDE) \
	ROW(".cargo/credentials.toml", DATA, "registry credentials", INSIDE) \
	ROW(".cargo/credentials", DATA, "registry credentials", INSIDE) \
	ROW(".gem/credentials", DATA, "registry credentials", INSIDE) \
	ROW(".local/share/gem/credentials", DATA, "registry credentials", INSIDE) \
	ROW(".composer/auth.json", DATA, "registry credentials", INSIDE) \
	ROW(".config/composer/auth.json", DATA, "registry credentials", INSIDE) \
	ROW(".m2/settings-security.xml", DATA, "passwords", INSIDE) \
	ROW(".config/gh", DATA, "access tokens", WHOLE) \
	ROW(".config/hub", DATA, "access tokens", WHOLE) \
	ROW(".config/glab-cli", DATA, "access tokens", WHOLE) \
	ROW(".config/tea", DATA, "access tokens", WHOLE) \
	ROW(".git-credentials", DATA, "passwords", WHOLE) \
	ROW(".config/git/credentials", DATA, "passwords", INSIDE) \
	ROW(".cache/huggingface/token", DATA, "access tokens", INSIDE) \
	ROW(".kaggle", DATA, "access tokens", WHOLE) \
	ROW(".databrickscfg", DATA, "access tokens", WHOLE) \
	ROW(".snowsql", DATA, "passwords", WHOLE) \
	ROW(".netrc", DATA, "passwords", WHOLE) \
	ROW(".authinfo", DATA, "passwords", WHOLE) \
	ROW(".authinfo.gpg", DATA, "passwords", WHOLE) \
	ROW(".pgpass", DATA, "passwords", WHOLE) \
	ROW(".my.cnf", DATA, "passwords", WHOLE) \
	ROW(".mylogin.cnf", DATA, "passwords", WHOLE) \
	ROW(".smbcredentials", DATA, "passwords", WHOLE) \
	ROW(".davfs2", DATA, "passwords", WHOLE) \
	ROW(".fetchmailrc", DATA, "passwords", WHOLE) \
	ROW(".msmtprc", DATA, "passwords", WHOLE) \
	ROW(".config/msmtp", DATA, "passwords", WHOLE) \
	ROW(".password-store", DATA, "passwords", WHOLE) \
	ROW(".config/op", DATA, "passwords", WHOLE) \
	ROW(".config/1Password", DATA, "passwords", WHOLE) \
	ROW(".config/Bitwarden", DATA, "passwords", WHOLE) \
	ROW(".config/Bitwarden CLI", DATA, "passwords", WHOLE) \
	ROW(".config/gopass", DATA, "passwords", WHOLE) \
	ROW(".local/share/gopass", DATA, "passwords", WHOLE) \
	ROW(".config/keepassxc", DATA, "passwords", WHOLE) \
	ROW(".local/share/keyrings", DATA, "passwords", WHOLE) \
	ROW(".local/share/kwalletd", DATA, "passwords", WHOLE) \
	ROW(".gnome2/keyrings", DATA, "passwords", WHOLE) \
	ROW(".config/filezilla", DATA, "passwords", WHOLE) \
	ROW(".config/remmina", DATA, "passwords", WHOLE) \
	ROW(".local/share/remmina", DATA, "passwords", WHOLE) \
	ROW(".thunderbird", DATA, "mail and its passwords", WHOLE) \
	ROW(".local/share/evolution", DATA, "mail and its passwords", WHOLE) \
	ROW(".config/Signal", DATA, "messages and their keys", WHOLE) \
	ROW(".mozilla", DATA, "browser profile", WHOLE) \
	ROW(".librewolf", DATA, "browser profile", WHOLE) \
	ROW(".config/chromium", DATA, "browser profile", WHOLE) \
	ROW(".config/google-chrome", DATA, "browser profile", WHOLE) \
	ROW(".config/BraveSoftware", DATA, "browser profile", WHOLE) \
	ROW(".config/microsoft-edge", DATA, "browser profile", WHOLE) \
	ROW(".config/vivaldi", DATA, "browser profile", WHOLE) \
	ROW(".config/opera", DATA, "browser profile", WHOLE) \
	ROW(".var/app/org.mozilla.firefox", DATA, "browser profile", WHOLE) \
	ROW("snap/firefox", DATA, "browser profile", WHOLE) \
	ROW("snap/chromium", DATA, "browser profile", WHOLE) \
	ROW(".bitcoin", SIGNING, "wallet", WHOLE) \
	ROW(".ethereum", SIGNING, "wallet", WHOLE) \
	ROW(".electrum", SIGNING, "wallet", WHOLE) \
	ROW(".config/solana", SIGNING, "wallet", WHOLE)
