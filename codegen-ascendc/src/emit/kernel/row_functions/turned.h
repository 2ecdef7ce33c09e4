// Tables of byte offsets: from rows without gaps to lines, and back.
__aicore__ inline void FillPlaces()
{
    const uint32_t columns = static_cast<uint32_t>(tiling_.columns);
    const uint32_t line = tiling_.pitch;
    const LocalTensor<int32_t> lines = lines_.Get<int32_t>();
    const LocalTensor<int32_t> rows = rows_.Get<int32_t>();
    for (uint32_t row = 0; row < ROW_BLOCK; ++row) {
        lines.SetValue(row, static_cast<int32_t>(row * columns * sizeof(float)));
        for (uint32_t column = 0; column < columns; ++column) {
            rows.SetValue(row * columns + column, static_cast<int32_t>((column * line + row) * sizeof(float)));
        }
    }
    @written@
    Continue(lines, ROW_BLOCK, line, ROW_BLOCK * columns);
    Continue(lines, line, line * columns, 1);
    Continue(rows, ROW_BLOCK * columns, line * columns, ROW_BLOCK);
}

// Turns rows without gaps. The last tile of a core may have fewer rows than its lines have room for.
__aicore__ inline void Turn(const LocalTensor<float>& to, const LocalTensor<float>& from, const RowTile& tile)
{
    const LocalTensor<uint32_t> lines = lines_.Get<uint32_t>();
    if (tile.rows == tile.pitch) {
        Gather(to, from, lines, 0, tile.count);
        return;
    }
    for (uint32_t column = 0; column < tile.columns; ++column) {
        const uint32_t at = column * tile.pitch;
        Gather(to[at], from, lines[at], 0, tile.rows);
    }
}
