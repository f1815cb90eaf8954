/** One key for every server of a test run: on PostgreSQL they share a database, and so its secrets. */
export const TEST_MASTER_KEY = '5e'.repeat(32)
