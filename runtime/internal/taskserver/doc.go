// Package taskserver is the part of a server that only servers with tasks have: it runs calls of tools as tasks, and answers
// the requests of clients about tasks. It knows the call and its messages to the client by [taskengine.Call]; the records
// are changed by internal/tasks. Package runtime knows it by [taskengine.Engine].
package taskserver
