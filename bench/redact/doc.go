// Package redact hides secrets in text to be shown or written: results of tools on pages, command lines, errors,
// reports. It detects secrets in three ways:
//
//   - by the name of the variable, header, flag, parameter or member with the value, word by word: PASSWORD and
//     API_KEY, but not PWD, AUTHOR, MONKEY or TOKEN_COUNT; see [Secret];
//   - by the form of the value, anywhere in a text: passwords in URLs, tokens with a known prefix, JSON Web Tokens,
//     private keys, connection strings; see [Text];
//   - by comparison with values passed to the server in a variable, a header or its command line; see [Values].
//
// Both kinds of errors are possible; a secret without a telltale name or form is not found. Hidden parts become
// [Hidden].
package redact
