import type { statements } from '@countersign/contract/books/statements'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { buildStatementText } from './statement-formats.ts'
import { makeStatement, toStatementView } from './statements.ts'

export const statementHandlers: Handlers<typeof statements> = {
  statement_get: async (op, { query }) => {
    const { format = 'json' } = query
    const statement = await makeStatement(op, query)
    return format === 'json'
      ? { status: 200, body: toStatementView(statement) }
      : { status: 200, text: buildStatementText(statement, format) }
  },
}
