/**
 * Settings of every connection, as PostgreSQL takes them at its start.
 *
 * A connection keeps the plans of its statements. One that was made while a table was small would go on reading the
 * whole table when it has grown, until the next ANALYZE; so a table is read whole only where no index serves. Plans
 * that cannot do without look so expensive then that PostgreSQL would compile them first.
 */
export const SESSION_OPTIONS = [
  'TimeZone=UTC',
  'default_transaction_isolation=read\\ committed',
  'enable_seqscan=off',
  'jit=off',
]
  .map((setting) => `-c ${setting}`)
  .join(' ')
