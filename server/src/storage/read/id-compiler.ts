import {
  type BinaryOperationNode,
  ColumnNode,
  type OperationNode,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
  ReferenceNode,
  ValueListNode,
  ValueNode,
} from 'kysely'
import { uuidOf } from '../engine/ids.ts'
import { isIdColumn } from '../schema/id-columns.ts'

/** Writes the statements of kysely. A value that a column of ids is compared with becomes the uuid of the id. */
export class IdCompiler extends PostgresQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { leftOperand, rightOperand } = node
    super.visitBinaryOperation(
      isOfIds(leftOperand) ? { ...node, rightOperand: withUuids(rightOperand) } : node,
    )
  }
}

function isOfIds(node: OperationNode): boolean {
  return ReferenceNode.is(node) && ColumnNode.is(node.column) && isIdColumn(node.column.column.name)
}

/** Values of ids as uuids. What is no value, such as another column, stays. */
function withUuids(node: OperationNode): OperationNode {
  if (ValueNode.is(node)) {
    const uuid: ValueNode = { ...node, value: uuidIfText(node.value) }
    return uuid
  }
  if (PrimitiveValueListNode.is(node)) return PrimitiveValueListNode.create(node.values.map(uuidIfText))
  if (ValueListNode.is(node)) return ValueListNode.create(node.values.map(withUuids))
  return node
}

function uuidIfText(value: unknown): unknown {
  return typeof value === 'string' ? uuidOf(value) : value
}
