exports.words = require("acme-words");
