import { Anchor, Group, Skeleton } from '@mantine/core'
import { createColumnHelper, tableFeatures, useTable } from '@tanstack/react-table'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import type { Column } from './column.ts'
import { useFittingColumns } from './fitting-columns.ts'
import { NamesContext } from './listed-name.tsx'
import { RowLink } from './row-link.tsx'
import { EmptyState, ErrorState } from './states.tsx'
import type { Listed } from './use-listed.ts'

interface DataTableProps<Row> {
  /** The accessible name of the table: `Customers`. */
  readonly name: string
  /** The address of the CSV file with all rows of the list: `csvAddress()`. */
  readonly file: string
  readonly columns: readonly Column<Row>[]
  readonly list: Listed<Row>
  readonly idOf: (row: Row) => string
  /** The link of a row. */
  readonly linkOf?: (row: Row) => string
  readonly empty: { readonly title: string; readonly text?: string; readonly action?: ReactNode }
  /** The height of the table; it scrolls inside. */
  readonly height?: string
}

const features = tableFeatures({})
const ROW_PIXELS = 44
const OVERSCAN = 12
/** The next page is requested this many rows before the end. */
const AHEAD = 20

/**
 * A list of any length: only the rows in view are in the document, and further pages are read as one scrolls. Rows have one
 * height and skeletons too, so nothing moves.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { name, file, list, idOf, linkOf, empty, height = 'calc(100dvh - 15rem - var(--banner))' } = props
  const { rows, isLoading, error, hasMore, retry } = list
  const columns = useFittingColumns(props.columns)
  const view = useVirtualRows(list, columns, idOf)
  if (error) return <ErrorState error={error} retry={retry} />
  const template = { gridTemplateColumns: columns.map(({ width }) => width).join(' ') }
  const isEmpty = !isLoading && rows.length === 0
  return (
    <div>
      <div
        ref={view.box}
        className="table"
        style={{ maxHeight: height }}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
        tabIndex={0}
        role="group"
        aria-label={name}
        aria-busy={isLoading}
      >
        <div className="grid" role="table" aria-label={name} aria-rowcount={hasMore ? -1 : rows.length + 1}>
          <HeadRow columns={columns} template={template} />
          {isLoading && <SkeletonRows columns={columns} template={template} />}
          <NamesContext value={list.names}>
            <VirtualRows view={view} columns={columns} template={template} linkOf={linkOf} />
          </NamesContext>
        </div>
        {isEmpty && (
          <EmptyState title={empty.title} action={empty.action}>
            {empty.text}
          </EmptyState>
        )}
      </div>
      <Footer file={file} list={list} />
    </div>
  )
}

/** The rows in view, with what scrolls them. Reads the next page when its rows come near. */
function useVirtualRows<Row>(
  list: Listed<Row>,
  columns: readonly Column<Row>[],
  idOf: DataTableProps<Row>['idOf'],
) {
  const { rows, hasMore, isLoadingMore, loadMore } = list
  const box = useRef<HTMLDivElement>(null)
  const definitions = useMemo(() => {
    const helper = createColumnHelper<typeof features, { readonly of: Row }>()
    return helper.columns(
      columns.map(({ id, header, cell }) =>
        helper.display({ id, header, cell: ({ row }) => cell(row.original.of) }),
      ),
    )
  }, [columns])
  const data = useMemo(() => rows.map((row) => ({ of: row })), [rows])
  const table = useTable({ features, columns: definitions, data, getRowId: ({ of }) => idOf(of) })
  const { rows: tableRows } = table.getRowModel()
  const virtual = useVirtualizer({
    count: tableRows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PIXELS,
    overscan: OVERSCAN,
  })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && !isLoadingMore && last >= rows.length - AHEAD) loadMore()
  }, [hasMore, isLoadingMore, last, rows.length, loadMore])
  return { box, table, tableRows, items, pixels: virtual.getTotalSize() }
}

interface Template {
  readonly gridTemplateColumns: string
}

interface RowsProps<Row> {
  readonly columns: readonly Column<Row>[]
  readonly template: Template
}

function HeadRow<Row>({ columns, template }: RowsProps<Row>) {
  return (
    <div className="row head" role="row" style={template}>
      {columns.map(({ id, header, isRight }) => (
        <span key={id} role="columnheader" className={isRight ? 'cell right' : 'cell'}>
          {header}
        </span>
      ))}
    </div>
  )
}

interface VirtualRowsProps<Row> extends RowsProps<Row> {
  readonly view: ReturnType<typeof useVirtualRows<Row>>
  readonly linkOf: DataTableProps<Row>['linkOf']
}

function VirtualRows<Row>({ view, columns, template, linkOf }: VirtualRowsProps<Row>) {
  const { table, tableRows, items, pixels } = view
  return (
    <div style={{ height: pixels, position: 'relative' }} role="presentation">
      {items.map(({ index, start }) => {
        const row = tableRows[index]!
        return (
          <RowLink
            key={row.id}
            to={linkOf?.(row.original.of)}
            style={{
              ...template,
              position: 'absolute',
              insetInline: 0,
              transform: `translateY(${start}px)`,
            }}
            index={index + 2}
          >
            {row.getAllCells().map((cell, at) => (
              <span key={cell.id} role="cell" className={columns[at]?.isRight ? 'cell right' : 'cell'}>
                <table.FlexRender cell={cell} />
              </span>
            ))}
          </RowLink>
        )
      })}
    </div>
  )
}

function Footer<Row>({ file, list }: Pick<DataTableProps<Row>, 'file' | 'list'>) {
  const { rows, isLoading, hasMore, totalCount } = list
  return (
    <Group justify="space-between" mt="xs" mih={30}>
      <span className="soft" aria-live="polite">
        {isLoading ? 'Loading …' : countOf(rows.length, hasMore, totalCount)}
      </span>
      {rows.length > 0 && (
        <Anchor href={file} download inherit>
          Save as CSV
        </Anchor>
      )}
    </Group>
  )
}

function countOf(shown: number, hasMore: boolean, total: number | undefined): string {
  const some =
    total !== undefined && total > shown
      ? `${shown.toLocaleString()} of ${total.toLocaleString()}`
      : shown.toLocaleString()
  return `${some} ${shown === 1 && !hasMore ? 'row' : 'rows'} shown${hasMore ? ', more as you scroll' : ''}`
}

const SKELETON_ROWS = 8

function SkeletonRows<Row>({ columns, template }: RowsProps<Row>) {
  return Array.from({ length: SKELETON_ROWS }, (_, row) => (
    // The rows never change their order.
    <div key={row} className="row" style={template} role="presentation">
      {columns.map(({ id, isRight }) => (
        <span key={id} className={isRight ? 'cell right' : 'cell'}>
          <Skeleton h={14} w={isRight ? 80 : 120} />
        </span>
      ))}
    </div>
  ))
}
