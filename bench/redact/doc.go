// Package redact hides secrets in texts that are shown or written: results of tools on pages, command lines, errors,
// reports. What a secret is, is decided in three ways:
//
//   - by the name of the variable, header, flag, parameter or member that has the value, word by word: PASSWORD and
//     API_KEY, but not PWD, AUTHOR, MONKEY or TOKEN_COUNT; see [Secret];
//   - by the shape of the value, wherever it stands: passwords in URLs, tokens with a known prefix, JSON Web Tokens, private
//     keys, connection strings; see [Text];
//   - because it was given to the server, by a variable, a header or its command line, and is shown again; see [Values].
//
// It errs on both sides: a secret without a telling name or shape is not found. Hidden parts become [Hidden].
package redact
