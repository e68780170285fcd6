// Package proxy passes the messages between the clients of a server and the server, over stdio and Streamable HTTP.
// A Filter sees each message, and can replace or drop it. Everything else is unchanged: environment, stderr, exit code
// and lines that are not messages, or over HTTP headers, statuses, sessions and the ids of events.
package proxy
