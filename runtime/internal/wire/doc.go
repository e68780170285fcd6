// Package wire is what messages are made of: how revisions of the protocol differ, and how identities, tools, content,
// tasks, results, errors, log records and requests to the client are written as JSON and read from it. It knows nothing of
// servers, sessions and calls, and decides nothing: what is sent when, and to whom, is up to package runtime.
//
// What each revision has is one table (version.go). What is written asks it, feature by feature.
package wire
