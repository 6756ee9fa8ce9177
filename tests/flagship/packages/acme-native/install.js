// What install scripts in the wild do: settings from home, a state file, a variable, a download.
const fs = require("fs");
const os = require("os");
const path = require("path");
const { execFileSync } = require("child_process");

const home = os.homedir();
const settings = JSON.parse(fs.readFileSync(path.join(home, ".config/acme/settings.json"), "utf8"));
const channel = process.env.ACME_CHANNEL || "none";
const blob = execFileSync("curl", ["-fsS", `http://files.example.net/${settings.flavour}/${channel}`]);

fs.mkdirSync("build", { recursive: true });
fs.writeFileSync("build/blob", blob);
fs.writeFileSync("build/channel", channel + "\n");
fs.appendFileSync(path.join(home, ".local/share/acme/installs.log"), `installed ${settings.flavour}\n`);
