module.exports = ["one", "two"];
