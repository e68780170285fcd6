// Package wire reads and writes the parts of messages as JSON, in the form that each revision of the protocol defines:
// identities, tools, content, tasks, results, errors, log records and requests to the client. It does not depend on
// servers, sessions and calls: package runtime decides which messages are sent, and when.
//
// A table of the features of each revision, in version.go, determines the form.
package wire
