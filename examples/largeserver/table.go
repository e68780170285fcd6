package main

// A kind is a kind of record. Each kind gets the tools of all operations.
type kind struct {
	group  string
	name   string // in snake case; the plural has an s
	is     string // the meaning of the name, for the descriptions of the tools
	fields []field
}

// A field is a setting of a record. It is required to create a record, unless its schema has a default.
type field struct {
	name   string
	schema schema
	doc    string
}

// kinds has a row for each kind of record, by group.
var kinds = []kind{
	{"compute", "server", "a virtual machine that boots from an image", []field{
		{"image", text, "Image that it boots from, such as debian-13"},
		{"cores", number(1, 64), "Number of virtual processors"},
		{"memory_gib", number(1, 512), "Memory in GiB"},
		{"region", region, "Where it runs"},
		{"power", oneOf("on", "off"), "Whether it runs; off shuts it down"},
	}},
	{"compute", "image", "a disk image from which servers boot", []field{
		{"source", text, "URL of the file, or name of a snapshot"},
		{"architecture", oneOf("amd64", "arm64"), "Processor architecture"},
	}},
	{"compute", "snapshot", "the contents of a server or volume at one time", []field{
		{"source", text, "Name of the server or volume"},
		{"keep_days", number(1, 3650), "Days until it is deleted"},
	}},
	{"compute", "ssh_key", "a public key that may log in to servers", []field{
		{"public_key", text, "The key, as in authorized_keys"},
	}},
	{"compute", "placement_group", "a set of servers on different hosts or close together", []field{
		{"servers", texts, "Names of the servers"},
		{"strategy", oneOf("spread", "pack"), "spread: on different hosts; pack: close together, for low latency"},
	}},

	{"containers", "cluster", "a Kubernetes cluster", []field{
		{"version", text, "Kubernetes version, such as 1.35"},
		{"region", region, "Where it runs"},
		{"auto_upgrade", boolean, "Install patch releases automatically"},
	}},
	{"containers", "node_pool", "a number of equal worker nodes of a cluster, which scales with the load", []field{
		{"cluster", text, "Name of the cluster"},
		{"min_nodes", number(0, 1000), "Least number of nodes"},
		{"max_nodes", number(1, 1000), "Greatest number of nodes"},
	}},
	{"containers", "workload", "a container image that runs in several replicas in a cluster", []field{
		{"cluster", text, "Name of the cluster"},
		{"image", text, "Container image with its tag"},
		{"replicas", number(0, 1000), "Number of replicas; 0 stops it"},
	}},
	{"containers", "ingress_rule", "a host and path whose requests go to a workload", []field{
		{"host", text, "Host name, such as shop.example.com"},
		{"path", text, "Prefix of the path, such as /api"},
		{"workload", text, "Name of the workload"},
	}},
	{"containers", "config_map", "a set of environment variables for workloads", []field{
		{"variables", texts, "Variables, as NAME=value"},
	}},

	{"storage", "bucket", "a store of objects, such as files and pictures, over HTTP", []field{
		{"region", region, "Where the objects are stored"},
		{"access", oneOf("private", "public"), "public: everybody can read the objects"},
		{"versioning", boolean, "Keep old versions of objects"},
	}},
	{"storage", "volume", "a disk that can be attached to a server", []field{
		{"size_gib", number(1, 16384), "Size in GiB"},
		{"medium", oneOf("ssd", "hdd"), "Kind of disk"},
		{"server", optional, "Name of the server that it is attached to; empty detaches it"},
	}},
	{"storage", "file_share", "a shared file system that servers mount over NFS", []field{
		{"size_gib", number(1, 16384), "Size in GiB"},
		{"clients", texts, "Networks that may mount it, in CIDR notation"},
	}},
	{"storage", "lifecycle_rule", "a rule that deletes or archives old objects of a bucket", []field{
		{"bucket", text, "Name of the bucket"},
		{"after_days", number(1, 3650), "Age of the objects in days"},
		{"action", oneOf("archive", "delete"), "What happens to them"},
	}},
	{"storage", "backup_plan", "a schedule of backups of a server, volume or database", []field{
		{"source", text, "Name of what is backed up"},
		{"every_hours", number(1, 720), "Hours between two backups"},
		{"keep", number(1, 1000), "How many backups are kept"},
	}},

	{"network", "network", "a private network that connects servers", []field{
		{"ip_range", text, "Addresses in CIDR notation, such as 10.0.0.0/16"},
	}},
	{"network", "subnet", "a part of a network in one region", []field{
		{"network", text, "Name of the network"},
		{"ip_range", text, "Addresses in CIDR notation, such as 10.0.1.0/24"},
		{"region", region, "Where it is"},
	}},
	{"network", "route", "a rule that sends packets for some addresses to a gateway", []field{
		{"network", text, "Name of the network"},
		{"destination", text, "Addresses in CIDR notation"},
		{"gateway", text, "Address that the packets are sent to"},
	}},
	{"network", "firewall_rule", "a rule that allows or blocks connections to servers", []field{
		{"source", text, "Addresses in CIDR notation; 0.0.0.0/0 means all"},
		{"port", number(1, 65535), "Port of the servers"},
		{"protocol", oneOf("tcp", "udp"), "Protocol"},
		{"action", oneOf("allow", "block"), "What happens to the connections"},
	}},
	{"network", "public_ip", "a static public address that can move between servers", []field{
		{"version", oneOf("ipv4", "ipv6"), "Version of the protocol"},
		{"server", optional, "Name of the server that it belongs to; empty releases it"},
	}},

	{"traffic", "load_balancer", "an entry point that distributes requests among servers", []field{
		{"region", region, "Where it runs"},
		{"algorithm", oneOf("round_robin", "least_connections"), "How it chooses a server"},
	}},
	{"traffic", "listener", "a port on which a load balancer accepts connections", []field{
		{"load_balancer", text, "Name of the load balancer"},
		{"port", number(1, 65535), "The port"},
		{"protocol", oneOf("https", "http", "tcp"), "Protocol"},
		{"target_group", text, "Name of the target group that gets the requests"},
	}},
	{"traffic", "target_group", "a set of servers behind a load balancer", []field{
		{"servers", texts, "Names of the servers"},
		{"port", number(1, 65535), "Port of the servers"},
	}},
	{"traffic", "health_check", "a probe that removes unhealthy servers from a target group", []field{
		{"target_group", text, "Name of the target group"},
		{"path", text, "Path that is requested, such as /healthz"},
		{"interval_seconds", number(1, 3600), "Seconds between two probes"},
	}},
	{"traffic", "certificate", "a TLS certificate for host names", []field{
		{"hosts", texts, "Host names"},
		{"auto_renew", boolean, "Renew it before it expires"},
	}},

	{"dns", "domain", "a registered domain name", []field{
		{"domain", text, "The domain, such as example.com"},
		{"auto_renew", boolean, "Renew the registration every year"},
		{"locked", boolean, "Refuse transfers to another registrar"},
	}},
	{"dns", "dns_zone", "a zone with the DNS records of a domain", []field{
		{"domain", text, "The domain, such as example.com"},
		{"default_ttl_seconds", number(30, 86400), "How long resolvers cache records"},
	}},
	{"dns", "dns_record", "a record of a DNS zone, which points a host such as www to an address", []field{
		{"zone", text, "Name of the zone"},
		{"host", text, "Host in the zone; @ is the domain itself"},
		{"type", oneOf("A", "AAAA", "CNAME", "MX", "TXT"), "Type of the record"},
		{"value", text, "Value, such as 203.0.113.7"},
	}},
	{"dns", "redirect", "an HTTP redirect from one host name to another", []field{
		{"from", text, "Host name whose requests are redirected"},
		{"to", text, "URL to which they are redirected"},
		{"status", oneOf("permanent", "temporary"), "Whether clients may remember it"},
	}},
	{"dns", "mail_forward", "an email address whose messages are forwarded to another", []field{
		{"address", text, "Address that gets the messages"},
		{"forward_to", text, "Address that they are forwarded to"},
	}},

	{"databases", "database_cluster", "a managed database server with standbys", []field{
		{"engine", oneOf("postgresql", "mysql", "valkey"), "Database software"},
		{"version", text, "Its version, such as 18"},
		{"standbys", number(0, 5), "Number of standbys"},
		{"region", region, "Where it runs"},
	}},
	{"databases", "database", "a database in a database cluster", []field{
		{"cluster", text, "Name of the database cluster"},
		{"owner", text, "Name of the database user that owns it"},
	}},
	{"databases", "database_user", "an account that may log in to a database cluster", []field{
		{"cluster", text, "Name of the database cluster"},
		{"rights", oneOf("read", "write", "admin"), "What it may do"},
	}},
	{"databases", "read_replica", "a copy of a database cluster that serves queries", []field{
		{"cluster", text, "Name of the database cluster"},
		{"region", region, "Where it runs"},
	}},
	{"databases", "connection_pool", "a pool that shares connections to a database", []field{
		{"database", text, "Name of the database"},
		{"size", number(1, 1000), "Number of connections"},
		{"mode", oneOf("transaction", "session"), "When a connection is given back"},
	}},

	{"messaging", "topic", "a channel to which programs publish messages", []field{
		{"keep_hours", number(1, 720), "Hours that messages are kept"},
	}},
	{"messaging", "subscription", "a consumer that receives the messages of a topic", []field{
		{"topic", text, "Name of the topic"},
		{"endpoint", text, "URL or queue to which messages are delivered"},
		{"max_attempts", number(1, 100), "How often delivery is attempted"},
	}},
	{"messaging", "queue", "a queue of jobs that workers take one by one", []field{
		{"order", oneOf("fifo", "any"), "Order of delivery"},
		{"visibility_seconds", number(1, 43200), "Seconds until an unfinished job is delivered again"},
	}},
	{"messaging", "event_rule", "a rule that runs a job on a schedule, such as every night, or when something happens", []field{
		{"on", text, "Cron expression, or pattern of events"},
		{"target", text, "Queue, topic or webhook that gets the job"},
	}},
	{"messaging", "webhook", "a URL that is called when something happens", []field{
		{"url", text, "The URL"},
		{"events", texts, "Names of the events"},
		{"active", boolean, "Whether it is called"},
	}},

	{"identity", "user", "a person with an account, such as a colleague", []field{
		{"email", text, "Address for invitations and notices"},
		{"require_mfa", boolean, "Require a second factor at login"},
	}},
	{"identity", "team", "a number of users who share roles", []field{
		{"members", texts, "Names of the users"},
		{"roles", texts, "Names of the roles"},
	}},
	{"identity", "role", "a set of permissions that users and service accounts get", []field{
		{"permissions", texts, "Permissions, such as servers:read"},
	}},
	{"identity", "access_key", "an API token of a user or service account", []field{
		{"owner", text, "Name of the user or service account"},
		{"expires_days", number(1, 365), "Days until it expires"},
		{"scopes", texts, "What it may be used for"},
	}},
	{"identity", "service_account", "an account for a program instead of a person", []field{
		{"roles", texts, "Names of the roles"},
		{"disabled", boolean, "Refuse its requests"},
	}},

	{"security", "secret", "a password or other credential that programs read at run time", []field{
		{"readers", texts, "Names of the service accounts that may read it"},
		{"rotate_days", number(1, 365), "Days until a new version is made"},
	}},
	{"security", "encryption_key", "a key that encrypts volumes, buckets and databases", []field{
		{"algorithm", oneOf("aes-256", "rsa-4096"), "Algorithm"},
		{"rotate_days", number(1, 3650), "Days until it is rotated"},
	}},
	{"security", "waf_rule", "a rule that blocks malicious web requests", []field{
		{"load_balancer", text, "Name of the load balancer that it protects"},
		{"condition", text, "Which requests it applies to"},
		{"action", oneOf("block", "challenge", "count"), "What happens to them"},
	}},
	{"security", "vulnerability_scan", "a regular search of images and servers for known vulnerabilities", []field{
		{"targets", texts, "Names of images and servers"},
		{"every_days", number(1, 90), "Days between two scans"},
	}},
	{"security", "audit_export", "a copy of the audit trail, of who did what, in a bucket", []field{
		{"bucket", text, "Name of the bucket"},
		{"format", oneOf("json", "csv"), "Format of the files"},
	}},

	{"monitoring", "alert_rule", "a condition on a metric that notifies people", []field{
		{"metric", text, "Name of the metric, such as cpu_percent"},
		{"above", number(0, 1000000), "Threshold"},
		{"for_minutes", number(1, 1440), "Minutes until people are notified"},
		{"channel", text, "Name of the notification channel"},
	}},
	{"monitoring", "dashboard", "a page with graphs of metrics", []field{
		{"metrics", texts, "Names of the metrics"},
		{"range_hours", number(1, 8760), "Hours that the graphs show"},
	}},
	{"monitoring", "uptime_check", "a regular request that finds out whether a web site is down", []field{
		{"url", text, "URL of the site"},
		{"interval_seconds", number(10, 3600), "Seconds between two requests"},
		{"channel", text, "Name of the notification channel"},
	}},
	{"monitoring", "log_export", "a stream of log lines to a bucket or topic", []field{
		{"filter", text, "Which lines are exported"},
		{"target", text, "Name of the bucket or topic"},
	}},
	{"monitoring", "notification_channel", "an address to which alerts are sent", []field{
		{"type", oneOf("email", "chat", "pager", "webhook"), "How people are notified"},
		{"address", text, "Address, room or URL"},
	}},

	{"delivery", "pipeline", "a sequence of steps that builds and tests a repository", []field{
		{"repository", text, "URL of the repository"},
		{"branch", text, "Branch whose commits start it"},
		{"steps", texts, "Commands, in their order"},
	}},
	{"delivery", "runner", "a machine that executes pipelines", []field{
		{"labels", texts, "Labels by which pipelines choose it"},
		{"concurrency", number(1, 64), "How many pipelines run at once"},
		{"paused", boolean, "Start nothing new"},
	}},
	{"delivery", "environment", "a stage such as staging or production to which releases are deployed", []field{
		{"approvers", texts, "Names of the users who approve deployments"},
		{"protected", boolean, "Require an approval"},
	}},
	{"delivery", "deployment", "a release that is rolled out to an environment", []field{
		{"environment", text, "Name of the environment"},
		{"version", text, "Version of the release"},
		{"percent", number(0, 100), "Share of the requests that it gets"},
	}},
	{"delivery", "feature_flag", "a switch that turns a feature on for some users", []field{
		{"enabled", boolean, "Whether the feature is on"},
		{"percent", number(0, 100), "Share of the users who get it"},
	}},
}
