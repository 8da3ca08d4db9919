// Package fallback keeps every send that ended without success, once, until it is
// delivered over another channel or a person has decided on it.
//
// # One send
//
//	intent durable ──> attempts ──> Done: the intent is removed
//	  (Begin)                  └──> Keep: the intent becomes a record
//	                           └──> the process dies: at the next Open the intent becomes a record
//
// [Queue.Begin] returns when the intent is on disk, so no attempt is made that a
// crash could hide. Its end is one transaction: [Pending.Done] removes the intent,
// [Pending.Keep] moves it among the records. An intent that neither ended is
// found when the file is opened next; nobody knows what its send did, so it
// becomes a record of class [Ambiguous] and effect [Unknown]. It has no code: codes
// are stored by Keep only. A send's identity is its ID, not its idempotency
// key, so two sends under one key are two sends.
//
// # Commits
//
// Changes that wait for the disk at the same time share a transaction: while one
// is written the next collects. Nobody waits for a timer, and a slower disk makes
// larger groups. The file has one owner; a second Open is refused.
//
// # States
//
//	Sending ──> Queued ──> Delivered       a channel took it
//	   │           ├─────> Expired         its code ran out, or it never had one
//	   │           └─────> Held            the channel says that it cannot deliver it
//	   └──────> Held ────> Resolved        a person closed it
//	              └──────> Queued          a person released it
//
// Queued is only what the provider surely did not execute and whose code is still
// good. Whatever may have been executed is Held for a person: nothing resends it
// by itself, under whatever key and over whatever channel. [Queue.Records] lists,
// [Queue.Key] tells the key for a replay at the provider, [Queue.Resolve] decides.
// A person may close what is queued or expired, too. What is delivered, expired or
// resolved is purged after [Options.Retention].
//
// # Delivery
//
// [Queue.Drain] hands queued records to a [Channel], at least once: where a
// delivery's answer is lost it is made again, under the same ID, also after a
// restart. Before its first try a record is bound to that channel, durably; no
// other channel is given it unless a person releases it. Two channels could not
// know of each other's deliveries.
//
// A channel is given codes only while it is verified: an attester whose public key
// is configured has signed its name, its https endpoint and a date ([Attest]),
// which says that this endpoint was tested, belongs where it should, and delivers
// one ID once. That is asked when the channel is registered and again before each
// delivery. Otherwise the answer is a [BlockedError], and nothing leaves.
//
// # Secrets
//
// Keys, codes and recipients are sealed with AES-256-GCM before they reach the
// file, each record under a key of its own, derived from the configured one and
// the record's ID; so the number of sends that one configured key can seal has no
// practical bound, and a blob that is copied to another record does not open.
// Beside them stands the prefix of the key's hash that logs and events show, too.
//
// At its expiry a code is removed from its record, as it is when the record is
// delivered or resolved; the rest stays for audit. bbolt does not overwrite what it
// removes: the sealed bytes remain in free pages until these are used again, and in
// backups. They stay sealed. What ends them for good is to drop the configured key,
// one retention after another took its place.
//
// Nothing that this package prints, logs or encodes as JSON holds a secret.
package fallback
