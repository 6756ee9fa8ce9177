module.exports = require("fs").readFileSync(__dirname + "/build/channel", "utf8");
