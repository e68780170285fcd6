// Package testbed runs instances of a server behind a real nginx, all on loopback, for programs that look on as a client
// while instances end: [Open] and [Start] run the instances, [StartNginx] the load balancer, and [Nginx.Dial] connects a
// client to it that knows which instance has answered.
package testbed
