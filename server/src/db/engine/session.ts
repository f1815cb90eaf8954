/**
 * Settings of every connection, as PostgreSQL takes them at its start.
 *
 * A connection keeps the plans of its statements. A plan that was made while a table was small would keep reading the
 * whole table after it has grown, until the next ANALYZE. So sequential scans are used only where no index serves.
 * Plans with such a scan then look so expensive that PostgreSQL would compile them first, so compilation is off.
 */
export const SESSION_OPTIONS = [
  'TimeZone=UTC',
  'default_transaction_isolation=read\\ committed',
  'enable_seqscan=off',
  'jit=off',
]
  .map((setting) => `-c ${setting}`)
  .join(' ')
