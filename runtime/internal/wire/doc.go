// Package wire reads and writes the parts of messages as JSON, in the form that each revision of the protocol defines:
// identities, tools, content, tasks, results, errors, log records and requests to the client. It knows nothing of servers,
// sessions and calls: package runtime decides what is sent, when, and to whom.
//
// One table lists the features of each revision (version.go), and what is written depends on them.
package wire
