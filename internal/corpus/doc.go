// Package corpus holds the tests against published documents. They are not part
// of the repository: set RETRYGEN_CORPUS to a folder that has them.
package corpus
