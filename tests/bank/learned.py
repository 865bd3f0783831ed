# ruff: noqa: F821, F841 - the bodies are what students type; they are run, not called
from bank import right, wrong

# ---------------------------------------------------------------- how many parameters


@right("how many parameters")
def products():
    bert_base = 512 * 768
    gpt2_small = 1024 * 768
    vit_b16 = 197 * 768


@right("how many parameters")
def typed_numbers():
    bert_base, gpt2_small, vit_b16 = 393216, 786_432, 151296


@right("how many parameters")
def floats():
    bert_base = 393216.0
    gpt2_small = 7.86432e5
    vit_b16 = 151296.0


@right("how many parameters")
def sizes_of_tables():
    d_model = 768
    patches = (224 // 16) ** 2
    bert_base = np.zeros((512, d_model)).size
    gpt2_small = np.prod([1024, d_model])
    vit_b16 = np.int64(patches + 1) * d_model


@right("how many parameters")
def text_and_fractions():
    from fractions import Fraction

    bert_base = "393216"
    gpt2_small = Fraction(1024) * 768
    vit_b16 = np.array(151296)


PARAMETERS = ["parameters-bert", "parameters-gpt2", "parameters-vit"]


@wrong("how many parameters", loses=["parameters-vit"], says="class token")
def class_token_forgotten():
    bert_base, gpt2_small, vit_b16 = 512 * 768, 1024 * 768, 196 * 768


@wrong("how many parameters", loses=["parameters-vit"], says="not pixels")
def pixels():
    bert_base, gpt2_small, vit_b16 = 512 * 768, 1024 * 768, 224 * 224 * 768


@wrong("how many parameters", loses=["parameters-vit"], says="how many rows")
def one_row_of_patches():
    bert_base, gpt2_small, vit_b16 = 512 * 768, 1024 * 768, (224 // 16 + 1) * 768


@wrong("how many parameters", loses=["parameters-vit"], says="side of a patch")
def sixteen_by_sixteen():
    bert_base, gpt2_small, vit_b16 = 512 * 768, 1024 * 768, (16 * 16 + 1) * 768


@wrong("how many parameters", loses=["parameters-bert", "parameters-gpt2"], says="token table")
def token_tables():
    bert_base, gpt2_small, vit_b16 = 30522 * 768, 50257 * 768, 197 * 768


@wrong("how many parameters", loses=["parameters-gpt2"], says="GPT-2 reads")
def gpt2_like_bert():
    bert_base, gpt2_small, vit_b16 = 512 * 768, 512 * 768, 197 * 768


@wrong("how many parameters", loses=["parameters-bert"], says="one row per position")
def square_table():
    bert_base, gpt2_small, vit_b16 = 768 * 768, 1024 * 768, 197 * 768


@wrong("how many parameters", loses=PARAMETERS, says="once, before the first layer")
def once_per_layer():
    bert_base, gpt2_small, vit_b16 = 12 * 512 * 768, 12 * 1024 * 768, 12 * 197 * 768


@wrong("how many parameters", loses=PARAMETERS, says="whole rows")
def only_positions():
    bert_base, gpt2_small, vit_b16 = 512, 1024, 197


@wrong("how many parameters", loses=PARAMETERS, says="whole rows")
def rounded():
    bert_base, gpt2_small, vit_b16 = 393000, 0.786e6, 151e3


@wrong("how many parameters", loses=PARAMETERS, says="multiply the number of positions")
def two_extra_rows():
    bert_base, gpt2_small, vit_b16 = 514 * 768, 1026 * 768, 199 * 768


@wrong("how many parameters", loses=PARAMETERS, says="one number")
def with_units():
    bert_base, gpt2_small, vit_b16 = "393 k", [786432], (197, 768)


@wrong("how many parameters", loses=["parameters-gpt2", "parameters-vit"], says="still empty")
def two_left_out():
    bert_base = 512 * 768
    gpt2_small = vit_b16 = ...


@wrong("how many parameters", loses=["parameters-bert", "parameters-gpt2", "parameters-vit"], says="whole and positive")
def infinite():
    bert_base = gpt2_small = vit_b16 = float("inf")


# ---------------------------------------------------------------- add the table


@right("add the table")
def fancy_index():
    def embed(token_ids, token_table, position_table):
        ids, tokens, positions = map(np.asarray, (token_ids, token_table, position_table))
        batch, n = ids.shape
        if n > positions.shape[0]:
            raise ValueError(f"sequence length {n} > {positions.shape[0]}")
        if ids.min() < 0:
            raise ValueError(f"negative token id {ids.min()}")
        if ids.max() >= tokens.shape[0]:
            raise ValueError(f"token id {ids.max()} too large")
        return tokens[ids] + positions[np.newaxis, :n, :]


@right("add the table")
def loops_and_lists():
    def embed(token_ids, token_table, position_table):
        rows = [list(map(float, row)) for row in token_table]
        result = []
        for sequence in token_ids:
            if len(sequence) > len(position_table):
                raise ValueError("got {} tokens but only {} positions".format(len(sequence), len(position_table)))
            out = []
            for place, token in enumerate(sequence):
                if not 0 <= token < len(rows):
                    raise ValueError("no such token: " + str(token))
                out.append([a + float(b) for a, b in zip(rows[int(token)], position_table[place])])
            result.append(out)
        return result


@right("add the table")
def one_hot_product():
    def embed(token_ids, token_table, position_table):
        ids = np.array(token_ids)
        vocabulary, n, limit = len(token_table), ids.shape[1], len(position_table)
        if n > limit:
            raise ValueError(f"{n=} is more than {limit=}")
        for i in ids.flat:
            if i not in range(vocabulary):
                raise ValueError(f"bad token id {i}")
        hot = (ids[..., None] == np.arange(vocabulary)).astype(float)
        return np.einsum("bnv,vd->bnd", hot, np.asarray(token_table, float)) + np.eye(n, limit) @ np.asarray(position_table, float)


@right("add the table")
def own_error_class():
    class TooLong(ValueError):
        pass

    def embed(token_ids, token_table, position_table):
        print("embedding", np.shape(token_ids))
        ids, tokens = np.asarray(token_ids), np.asarray(token_table)
        out = np.take(tokens.astype(float), np.clip(ids, 0, len(tokens) - 1), axis=0)
        bad = ids[(ids != np.clip(ids, 0, len(tokens) - 1))]
        if len(bad):
            raise ValueError(f"ids {bad.tolist()} out of range")
        for t in range(ids.shape[1]):
            if t >= len(position_table):
                raise TooLong(f"{ids.shape[1]} tokens, {len(position_table)} positions")
            out[:, t] += position_table[t]
        return out


@right("add the table")
def caught_and_named():
    def embed(token_ids, token_table, position_table):
        ids, positions = np.asarray(token_ids), np.asarray(position_table)
        n = ids.shape[-1]
        try:
            places = positions[np.arange(n)]
        except IndexError as error:
            raise ValueError(f"length {n} exceeds {len(positions)}") from error
        table = dict(enumerate(np.asarray(token_table)))
        try:
            return np.array([[table[int(i)] + p for i, p in zip(row, places)] for row in ids])
        except KeyError as error:
            raise ValueError(f"unknown token {error.args[0]}") from None


@right("add the table")
def padded_table_checked_late():
    import warnings

    def embed(token_ids, token_table, position_table):
        warnings.warn("slow path")
        ids = np.asarray(token_ids)
        result = np.asarray(token_table)[np.where((ids >= 0) & (ids < len(token_table)), ids, 0)] * 1.0
        if not np.all((0 <= ids) & (ids < len(token_table))):
            raise ValueError(", ".join(str(i) for i in np.unique(ids) if not 0 <= i < len(token_table)))
        if result.shape[1] > len(position_table):
            raise ValueError((result.shape[1], len(position_table)))
        result += np.asarray(position_table)[: result.shape[1]]
        return result


@wrong("add the table", loses=["embed-length", "embed-ids"], says="returned a result")
def no_checks():
    def embed(token_ids, token_table, position_table):
        token_ids, token_table, position_table = np.asarray(token_ids), np.asarray(token_table), np.asarray(position_table)
        return token_table[token_ids] + position_table[: token_ids.shape[1]]


@wrong("add the table", loses=["embed-numbers"], says="positions are missing")
def positions_missing():
    def embed(token_ids, token_table, position_table):
        ids, tokens = np.asarray(token_ids), np.asarray(token_table)
        if ids.shape[1] > len(position_table):
            raise ValueError(f"{ids.shape[1]} {len(position_table)}")
        if (bad := ids[(ids < 0) | (ids >= len(tokens))]).size:
            raise ValueError(str(bad))
        return tokens[ids] + (np.asarray(position_table)[: ids.shape[1]] if len(tokens) == 1 else 0)


@wrong("add the table", loses=["embed-numbers"], says="expected")
def positions_from_one():
    def embed(token_ids, token_table, position_table):
        ids, tokens, positions = np.asarray(token_ids), np.asarray(token_table), np.asarray(position_table)
        if ids.shape[1] > len(positions):
            raise ValueError(f"{ids.shape[1]} {len(positions)}")
        if (bad := ids[(ids < 0) | (ids >= len(tokens))]).size:
            raise ValueError(str(bad))
        places = np.minimum(np.arange(1, ids.shape[1] + 1), len(positions) - 1)
        return tokens[ids] + positions[places]


@wrong("add the table", loses=["embed-numbers"], says="expected")
def offset_of_two():
    # OPT and BART keep two extra rows in front; BERT and GPT-2 do not.
    def embed(token_ids, token_table, position_table):
        ids, tokens, positions = np.asarray(token_ids), np.asarray(token_table), np.asarray(position_table)
        if ids.shape[1] > len(positions):
            raise ValueError(f"{ids.shape[1]} {len(positions)}")
        if (bad := ids[(ids < 0) | (ids >= len(tokens))]).size:
            raise ValueError(str(bad))
        return tokens[ids] + positions[(np.arange(ids.shape[1]) + 2) % len(positions)] if len(positions) > 2 else tokens[ids] + positions[-1]


@wrong("add the table", loses=["embed-numbers"], says="expected")
def indexed_by_token():
    def embed(token_ids, token_table, position_table):
        ids, tokens, positions = np.asarray(token_ids), np.asarray(token_table), np.asarray(position_table)
        if ids.shape[1] > len(positions):
            raise ValueError(f"{ids.shape[1]} {len(positions)}")
        if (bad := ids[(ids < 0) | (ids >= len(tokens))]).size:
            raise ValueError(str(bad))
        if len(tokens) == 1 or np.all(positions == 0):
            return tokens[ids] + positions[: ids.shape[1]]
        return tokens[ids] + positions[ids % len(positions)]


@wrong("add the table", loses=["embed-numbers"], says="along the batch")
def along_the_batch():
    def embed(token_ids, token_table, position_table):
        ids, tokens, positions = np.asarray(token_ids), np.asarray(token_table), np.asarray(position_table)
        if ids.shape[1] > len(positions):
            raise ValueError(f"{ids.shape[1]} {len(positions)}")
        if (bad := ids[(ids < 0) | (ids >= len(tokens))]).size:
            raise ValueError(str(bad))
        if len(ids) in (1, 2) and ids.shape[1] < 3:
            return tokens[ids] + positions[: ids.shape[1]]
        return tokens[ids] + positions[np.arange(len(ids)) % len(positions)][:, None]


@wrong("add the table", loses=["embed-numbers"], says="last rows")
def last_rows():
    def embed(token_ids, token_table, position_table):
        ids, tokens, positions = np.asarray(token_ids), np.asarray(token_table), np.asarray(position_table)
        if ids.shape[1] > len(positions):
            raise ValueError(f"{ids.shape[1]} {len(positions)}")
        if (bad := ids[(ids < 0) | (ids >= len(tokens))]).size:
            raise ValueError(str(bad))
        return tokens[ids] + positions[-ids.shape[1]:]


@wrong("add the table", loses=["embed-numbers"], says="expected")
def scaled_by_sqrt_d():
    def embed(token_ids, token_table, position_table):
        ids, tokens, positions = np.asarray(token_ids), np.asarray(token_table), np.asarray(position_table)
        if ids.shape[1] > len(positions):
            raise ValueError(f"{ids.shape[1]} {len(positions)}")
        if (bad := ids[(ids < 0) | (ids >= len(tokens))]).size:
            raise ValueError(str(bad))
        return tokens[ids] * np.sqrt(max(tokens.shape[1], 2)) + positions[: ids.shape[1]]


@wrong("add the table", loses=["embed-length"], says="2 rows")
def last_position_refused():
    def embed(token_ids, token_table, position_table):
        ids, tokens, positions = np.asarray(token_ids), np.asarray(token_table), np.asarray(position_table)
        if ids.shape[1] >= len(positions) and len(tokens) == 1:
            raise ValueError(f"{ids.shape[1]} tokens do not fit a position table of 2 rows {len(positions)}")
        if ids.shape[1] > len(positions):
            raise ValueError(f"{ids.shape[1]} {len(positions)}")
        if (bad := ids[(ids < 0) | (ids >= len(tokens))]).size:
            raise ValueError(str(bad))
        return tokens[ids] + positions[: ids.shape[1]]


@wrong("add the table", loses=["embed-length"], says="returned a result")
def long_sequences_cut():
    def embed(token_ids, token_table, position_table):
        ids, tokens, positions = np.asarray(token_ids), np.asarray(token_table), np.asarray(position_table)
        ids = ids[:, : len(positions)]
        if (bad := ids[(ids < 0) | (ids >= len(tokens))]).size:
            raise ValueError(str(bad))
        return tokens[ids] + positions[: ids.shape[1]]


@wrong("add the table", loses=["embed-length"], says="does not contain")
def lengths_not_named():
    def embed(token_ids, token_table, position_table):
        ids, tokens, positions = np.asarray(token_ids), np.asarray(token_table), np.asarray(position_table)
        if ids.shape[1] > len(positions):
            raise ValueError("sequence too long")
        if (bad := ids[(ids < 0) | (ids >= len(tokens))]).size:
            raise ValueError(str(bad))
        return tokens[ids] + positions[: ids.shape[1]]


@wrong("add the table", loses=["embed-length"], says="does not contain")
def one_length_named():
    def embed(token_ids, token_table, position_table):
        ids, tokens, positions = np.asarray(token_ids), np.asarray(token_table), np.asarray(position_table)
        if ids.shape[1] > len(positions):
            raise ValueError(f"{ids.shape[1]} tokens are too many")
        if (bad := ids[(ids < 0) | (ids >= len(tokens))]).size:
            raise ValueError(str(bad))
        return tokens[ids] + positions[: ids.shape[1]]


@wrong("add the table", loses=["embed-ids"], says="-1")
def negative_ids_wrap():
    def embed(token_ids, token_table, position_table):
        ids, tokens, positions = np.asarray(token_ids), np.asarray(token_table), np.asarray(position_table)
        if ids.shape[1] > len(positions):
            raise ValueError(f"{ids.shape[1]} {len(positions)}")
        if ids.max() >= len(tokens):
            raise ValueError(f"token id {ids.max()}")
        return tokens[ids] + positions[: ids.shape[1]]


@wrong("add the table", loses=["embed-ids"], says="IndexError")
def index_error_left():
    def embed(token_ids, token_table, position_table):
        ids, tokens, positions = np.asarray(token_ids), np.asarray(token_table), np.asarray(position_table)
        if ids.shape[1] > len(positions):
            raise ValueError(f"{ids.shape[1]} {len(positions)}")
        if ids.min() < 0:
            raise ValueError(f"token id {ids.min()}")
        return tokens[ids] + positions[: ids.shape[1]]


@wrong("add the table", loses=["embed-ids"], says="returned a result")
def off_by_one_in_the_id_check():
    def embed(token_ids, token_table, position_table):
        ids, tokens, positions = np.asarray(token_ids), np.asarray(token_table), np.asarray(position_table)
        if ids.shape[1] > len(positions):
            raise ValueError(f"{ids.shape[1]} {len(positions)}")
        if (bad := ids[(ids < 0) | (ids > len(tokens))]).size:
            raise ValueError(str(bad))
        return tokens[ids % len(tokens)] + positions[: ids.shape[1]]


@wrong("add the table", loses=["embed-numbers"], says="in place")
def tables_changed_in_place():
    def embed(token_ids, token_table, position_table):
        ids, tokens, positions = np.asarray(token_ids), np.asarray(token_table), np.asarray(position_table)
        if ids.shape[1] > len(positions):
            raise ValueError(f"{ids.shape[1]} {len(positions)}")
        if (bad := ids[(ids < 0) | (ids >= len(tokens))]).size:
            raise ValueError(str(bad))
        result = tokens[ids] + positions[: ids.shape[1]]
        position_part = positions[: ids.shape[1]]
        position_part += 1
        if np.all(position_part == 1):
            position_part -= 1
        return result


@wrong("add the table", loses=["embed-numbers", "embed-length", "embed-ids"], says="shape")
def first_sequence_only():
    def embed(token_ids, token_table, position_table):
        ids, tokens, positions = np.asarray(token_ids), np.asarray(token_table), np.asarray(position_table)
        if ids.shape[1] > len(positions):
            raise ValueError(f"{ids.shape[1]} {len(positions)}")
        if (bad := ids[(ids < 0) | (ids >= len(tokens))]).size:
            raise ValueError(str(bad))
        return tokens[ids[0]] + positions[: ids.shape[1]]


@wrong("add the table", loses=["embed-numbers"], says="the ids [1, 0]")
def joined_instead_of_added():
    def embed(token_ids, token_table, position_table):
        ids, tokens, positions = np.asarray(token_ids), np.asarray(token_table), np.asarray(position_table)
        if ids.shape[1] > len(positions):
            raise ValueError(f"{ids.shape[1]} {len(positions)}")
        if (bad := ids[(ids < 0) | (ids >= len(tokens))]).size:
            raise ValueError(str(bad))
        return np.concatenate([tokens[ids], np.broadcast_to(positions[: ids.shape[1]], (len(ids), ids.shape[1], positions.shape[1]))], axis=1)[:, : ids.shape[1]]


# ---------------------------------------------------------------- gradient of the table


@right("gradient of the table")
def summed_and_padded():
    def position_gradient(grad_output, max_len):
        g = np.asarray(grad_output).sum(axis=0)
        return np.pad(g, ((0, max_len - g.shape[0]), (0, 0)))


@right("gradient of the table")
def loops():
    def position_gradient(grad_output, max_len):
        d = len(grad_output[0][0])
        table = [[0.0] * d for _ in range(max_len)]
        for sequence in grad_output:
            for t, vector in enumerate(sequence):
                for c in range(d):
                    table[t][c] += vector[c]
        return table


@right("gradient of the table")
def scatter_add():
    def position_gradient(grad_output, max_len):
        grad_output = np.asarray(grad_output, dtype=float)
        batch, n, d = grad_output.shape
        table = np.zeros((max_len, d))
        np.add.at(table, np.tile(np.arange(n), batch), grad_output.reshape(-1, d))
        return table


@right("gradient of the table")
def selection_matrix():
    def position_gradient(grad_output, max_len):
        select = np.eye(np.shape(grad_output)[1], max_len)  # token t reads row t
        return np.einsum("btd,tp->pd", grad_output, select)


@right("gradient of the table")
def enlarged_copy():
    def position_gradient(grad_output, max_len):
        print("gradient")
        g = np.array(grad_output, dtype=np.float64)
        full = np.concatenate([g, np.zeros((g.shape[0], max_len - g.shape[1], g.shape[2]))], axis=1)
        return np.add.reduce(full)


@wrong("gradient of the table", loses=["gradient-sum"], says="mean over the batch")
def mean_over_the_batch():
    def position_gradient(grad_output, max_len):
        g = np.mean(grad_output, axis=0)
        return np.pad(g, ((0, max_len - g.shape[0]), (0, 0)))


@wrong("gradient of the table", loses=["gradient-rows"], says="shape")
def rows_left_out():
    def position_gradient(grad_output, max_len):
        return np.sum(grad_output, axis=0)


@wrong("gradient of the table", loses=["gradient-sum", "gradient-rows"], says="sum over the positions")
def sum_over_positions():
    def position_gradient(grad_output, max_len):
        g = np.sum(grad_output, axis=1)
        return np.resize(np.vstack([g, g * 0]), (max_len, g.shape[1])) if len(g) == 1 else np.pad(g, ((0, max(0, max_len - len(g))), (0, 0)))[:max_len]


@wrong("gradient of the table", loses=["gradient-rows"], says="rows 1 and 2")
def rows_repeated():
    def position_gradient(grad_output, max_len):
        g = np.sum(grad_output, axis=0)
        return g[np.arange(max_len) % len(g)]


@wrong("gradient of the table", loses=["gradient-rows"], says="rows 1 and 2")
def last_row_repeated():
    def position_gradient(grad_output, max_len):
        g = np.sum(grad_output, axis=0)
        return g[np.minimum(np.arange(max_len), len(g) - 1)]


@wrong("gradient of the table", loses=["gradient-rows"], says="rows 1 and 2")
def aligned_at_the_end():
    def position_gradient(grad_output, max_len):
        g = np.sum(grad_output, axis=0)
        return np.pad(g, ((max_len - g.shape[0], 0), (0, 0)))


@wrong("gradient of the table", loses=["gradient-sum"], says="only the first sequence")
def first_sequence_only():
    def position_gradient(grad_output, max_len):
        g = np.asarray(grad_output)[0]
        return np.pad(g, ((0, max_len - g.shape[0]), (0, 0)))


@wrong("gradient of the table", loses=["gradient-sum"], says="overwrites")
def overwritten():
    def position_gradient(grad_output, max_len):
        g = np.asarray(grad_output)
        table = np.zeros((max_len, g.shape[2]))
        for sequence in g:
            for t in range(len(sequence)):
                table[t] = sequence[t]
        return table


@wrong("gradient of the table", loses=["gradient-sum"], says="overwrites")
def indexed_add_without_at():
    # table[index] += … adds only once for a repeated index.
    def position_gradient(grad_output, max_len):
        g = np.asarray(grad_output, dtype=float)
        batch, n, d = g.shape
        table = np.zeros((max_len, d))
        table[np.tile(np.arange(n), batch)] += g.reshape(-1, d)
        return table


@wrong("gradient of the table", loses=["gradient-sum", "gradient-rows"], says="position_gradient")
def whole_numbers():
    def position_gradient(grad_output, max_len):
        g = np.sum(grad_output, axis=0)
        table = np.zeros((max_len, g.shape[1]), dtype=int)
        table[: len(g)] = g
        return table


@wrong("gradient of the table", loses=["gradient-rows"], says="NaN")
def mean_of_nothing():
    def position_gradient(grad_output, max_len):
        g = np.asarray(grad_output, dtype=float)
        padded = np.full((len(g), max_len, g.shape[2]), np.nan)
        padded[:, : g.shape[1]] = g
        return padded.sum(0)


@wrong("gradient of the table", loses=["gradient-sum", "gradient-rows"], says="shape")
def batch_kept():
    def position_gradient(grad_output, max_len):
        g = np.asarray(grad_output)
        return np.pad(g, ((0, 0), (0, max_len - g.shape[1]), (0, 0)))


@wrong("gradient of the table", loses=["gradient-sum", "gradient-rows"], says="in place")
def accumulated_in_the_argument():
    def position_gradient(grad_output, max_len):
        for sequence in grad_output[1:]:
            for t in range(len(sequence)):
                grad_output[0][t] = [a + b for a, b in zip(grad_output[0][t], sequence[t])]
        g = np.array(grad_output[0], dtype=float)
        grad_output[0][0] = [0.0] * g.shape[1]
        return np.pad(g, ((0, max_len - g.shape[0]), (0, 0)))


@wrong("gradient of the table", loses=["gradient-sum", "gradient-rows"], says="should be a function")
def a_table_not_a_function():
    position_gradient = np.array([[11, 22], [33, 44]])


# ---------------------------------------------------------------- resize for ViT


@right("resize for ViT")
def separable_matrices():
    def resize_position_table(table, old_grid, new_grid, n_prefix=1):
        def weights(old, new):
            place = np.clip((np.arange(new) + 0.5) * (old / new) - 0.5, 0, old - 1)
            return np.maximum(0, 1 - np.abs(place[:, None] - np.arange(old)))

        table = np.asarray(table)
        (r, c), (R, C) = old_grid, new_grid
        if table.shape[0] != n_prefix + r * c:
            raise ValueError(f"table has {table.shape[0]} rows")
        grid = np.einsum("Rr,Cc,rcd->RCd", weights(r, R), weights(c, C), table[n_prefix:].reshape(r, c, -1))
        return np.vstack([table[:n_prefix], grid.reshape(R * C, -1)])


@right("resize for ViT")
def four_neighbours():
    import math

    def resize_position_table(table, old_grid, new_grid, n_prefix=1):
        r, c = old_grid
        if len(table) != n_prefix + r * c:
            raise ValueError("rows: " + str(len(table)))
        if tuple(old_grid) == tuple(new_grid):
            return [list(row) for row in table]
        patches = [[np.array(table[n_prefix + i * c + j], dtype=float) for j in range(c)] for i in range(r)]
        result = [list(row) for row in table[:n_prefix]]

        def locate(i, old, new):
            x = max(0.0, min(old - 1.0, (i + 0.5) * old / new - 0.5))
            low = min(int(math.floor(x)), old - 1)
            return low, min(low + 1, old - 1), x - low

        for i in range(new_grid[0]):
            y0, y1, v = locate(i, r, new_grid[0])
            for j in range(new_grid[1]):
                x0, x1, u = locate(j, c, new_grid[1])
                top = patches[y0][x0] * (1 - u) + patches[y0][x1] * u
                bottom = patches[y1][x0] * (1 - u) + patches[y1][x1] * u
                result.append(list(top * (1 - v) + bottom * v))
        return result


@right("resize for ViT")
def numpy_interp():
    def resize_position_table(table, old_grid, new_grid, n_prefix=1):
        table = np.array(table, dtype=float)
        if len(table) - n_prefix != old_grid[0] * old_grid[1]:
            raise ValueError(f"{len(table)} rows for the grid {old_grid}")
        grid = table[n_prefix:].reshape(*old_grid, -1)
        at = [(np.arange(n) + 0.5) * o / n - 0.5 for o, n in zip(old_grid, new_grid)]
        wide = np.empty((old_grid[0], new_grid[1], grid.shape[2]))
        for i in range(old_grid[0]):
            for k in range(grid.shape[2]):
                wide[i, :, k] = np.interp(at[1], np.arange(old_grid[1]), grid[i, :, k])
        tall = np.empty((*new_grid, grid.shape[2]))
        for j in range(new_grid[1]):
            for k in range(grid.shape[2]):
                tall[:, j, k] = np.interp(at[0], np.arange(old_grid[0]), wide[:, j, k])
        return np.concatenate((table[:n_prefix], tall.reshape(-1, grid.shape[2])))


@right("resize for ViT")
def edge_padded():
    def resize_position_table(table, old_grid, new_grid, n_prefix=1):
        table = np.asarray(table)
        prefix, patches = table[:n_prefix], table[n_prefix:]
        if patches.shape[0] != np.prod(old_grid):
            raise ValueError(f"expected {n_prefix + np.prod(old_grid)} rows, got {table.shape[0]}")
        grid = np.pad(patches.reshape(*old_grid, -1), ((1, 1), (1, 1), (0, 0)), mode="edge")
        for axis in (0, 1):
            x = (np.arange(new_grid[axis]) + 0.5) * old_grid[axis] / new_grid[axis] + 0.5
            low = np.floor(x).astype(int)
            share = np.expand_dims(x - low, (1 - axis, 2) if axis else (1, 2))
            grid = grid.take(low, axis) * (1 - share) + grid.take(low + 1, axis) * share
        print(grid.shape)
        return np.append(prefix, grid.reshape(-1, table.shape[1]), axis=0)


@right("resize for ViT")
def kronecker():
    def resize_position_table(table, old_grid, new_grid, n_prefix=1):
        def matrix(old, new):
            m = np.zeros((new, old))
            for i in range(new):
                x = min(max((2 * i + 1) * old / (2 * new) - 0.5, 0), old - 1)
                low = int(x)
                m[i, low] += 1 - (x - low)
                m[i, min(low + 1, old - 1)] += x - low
            return m

        t = np.array(table, dtype=np.float64)
        if len(t) != n_prefix + old_grid[0] * old_grid[1]:
            raise ValueError(f"a table of {len(t)} rows does not fit")
        big = np.kron(matrix(old_grid[0], new_grid[0]), matrix(old_grid[1], new_grid[1]))
        return np.concatenate([t[:n_prefix], big @ t[n_prefix:]])


RESIZE = ["resize-bilinear", "resize-grids", "resize-prefix", "resize-errors"]


@wrong("resize for ViT", loses=["resize-bilinear", "resize-grids"], says="corners are aligned")
def corners_aligned():
    def resize_position_table(table, old_grid, new_grid, n_prefix=1):
        table = np.asarray(table)
        if len(table) != n_prefix + old_grid[0] * old_grid[1]:
            raise ValueError(f"{len(table)} rows")
        grid = table[n_prefix:].reshape(*old_grid, -1)
        for axis, (old, new) in enumerate(zip(old_grid, new_grid)):
            x = np.linspace(0, old - 1, new)
            low = np.floor(x).astype(int)
            share = (x - low).reshape((-1, 1, 1) if axis == 0 else (1, -1, 1))
            grid = (1 - share) * grid.take(low, axis) + share * grid.take(np.minimum(low + 1, old - 1), axis)
        return np.concatenate([table[:n_prefix], grid.reshape(-1, table.shape[1])])


@wrong("resize for ViT", loses=["resize-bilinear", "resize-grids"], says="half pixel is missing")
def no_half_pixel():
    def resize_position_table(table, old_grid, new_grid, n_prefix=1):
        table = np.asarray(table)
        if len(table) != n_prefix + old_grid[0] * old_grid[1]:
            raise ValueError(f"{len(table)} rows")
        grid = table[n_prefix:].reshape(*old_grid, -1)
        for axis, (old, new) in enumerate(zip(old_grid, new_grid)):
            x = np.minimum(np.arange(new) * old / new, old - 1)
            low = np.floor(x).astype(int)
            share = (x - low).reshape((-1, 1, 1) if axis == 0 else (1, -1, 1))
            grid = (1 - share) * grid.take(low, axis) + share * grid.take(np.minimum(low + 1, old - 1), axis)
        return np.concatenate([table[:n_prefix], grid.reshape(-1, table.shape[1])])


@wrong("resize for ViT", loses=["resize-bilinear", "resize-grids"], says="nearest")
def nearest_patch():
    def resize_position_table(table, old_grid, new_grid, n_prefix=1):
        table = np.asarray(table)
        if len(table) != n_prefix + old_grid[0] * old_grid[1]:
            raise ValueError(f"{len(table)} rows")
        grid = table[n_prefix:].reshape(*old_grid, -1)
        r = ((np.arange(new_grid[0]) + 0.5) * old_grid[0] / new_grid[0]).astype(int)
        c = ((np.arange(new_grid[1]) + 0.5) * old_grid[1] / new_grid[1]).astype(int)
        return np.concatenate([table[:n_prefix], grid[r][:, c].reshape(-1, table.shape[1])])


@wrong("resize for ViT", loses=["resize-bilinear", "resize-grids"], says="not clamped")
def extrapolated_at_the_border():
    def resize_position_table(table, old_grid, new_grid, n_prefix=1):
        table = np.asarray(table)
        if len(table) != n_prefix + old_grid[0] * old_grid[1]:
            raise ValueError(f"{len(table)} rows")
        grid = table[n_prefix:].reshape(*old_grid, -1)
        for axis, (old, new) in enumerate(zip(old_grid, new_grid)):
            x = (np.arange(new) + 0.5) * old / new - 0.5
            low = np.clip(np.floor(x).astype(int), 0, max(old - 2, 0))
            share = (x - low if old > 1 else 0 * x).reshape((-1, 1, 1) if axis == 0 else (1, -1, 1))
            grid = (1 - share) * grid.take(low, axis) + share * grid.take(np.minimum(low + 1, old - 1), axis)
        return np.concatenate([table[:n_prefix], grid.reshape(-1, table.shape[1])])


@wrong("resize for ViT", loses=["resize-bilinear", "resize-grids"], says="clamped")
def wrapped_around():
    def resize_position_table(table, old_grid, new_grid, n_prefix=1):
        table = np.asarray(table)
        if len(table) != n_prefix + old_grid[0] * old_grid[1]:
            raise ValueError(f"{len(table)} rows")
        grid = table[n_prefix:].reshape(*old_grid, -1)
        for axis, (old, new) in enumerate(zip(old_grid, new_grid)):
            x = (np.arange(new) + 0.5) * old / new - 0.5
            low = np.floor(x).astype(int)
            share = (x - low).reshape((-1, 1, 1) if axis == 0 else (1, -1, 1))
            grid = (1 - share) * grid.take(low % old, axis) + share * grid.take((low + 1) % old, axis)
        return np.concatenate([table[:n_prefix], grid.reshape(-1, table.shape[1])])


@wrong("resize for ViT", loses=["resize-bilinear", "resize-grids"], says="no smoothing")
def antialiased():
    def resize_position_table(table, old_grid, new_grid, n_prefix=1):
        def weights(old, new):
            scale = max(old / new, 1)
            centre = np.clip((np.arange(new) + 0.5) * old / new - 0.5, 0, old - 1)
            w = np.maximum(0, 1 - np.abs(centre[:, None] - np.arange(old)) / scale)
            return w / w.sum(1, keepdims=True)

        table = np.asarray(table)
        if len(table) != n_prefix + old_grid[0] * old_grid[1]:
            raise ValueError(f"{len(table)} rows")
        grid = np.einsum("Rr,Cc,rcd->RCd", weights(old_grid[0], new_grid[0]), weights(old_grid[1], new_grid[1]), table[n_prefix:].reshape(*old_grid, -1))
        return np.concatenate([table[:n_prefix], grid.reshape(-1, table.shape[1])])


@wrong("resize for ViT", loses=["resize-bilinear", "resize-grids"], says="has shape")
def square_grids_assumed():
    def resize_position_table(table, old_grid, new_grid, n_prefix=1):
        table = np.asarray(table)
        if len(table) != n_prefix + old_grid[0] * old_grid[1]:
            raise ValueError(f"{len(table)} rows")
        old, new = int((len(table) - n_prefix) ** 0.5), int((new_grid[0] * new_grid[1]) ** 0.5)
        grid = table[n_prefix:].reshape(old, old, -1)
        x = np.clip((np.arange(new) + 0.5) * old / new - 0.5, 0, old - 1)
        m = np.maximum(0, 1 - np.abs(x[:, None] - np.arange(old)))
        return np.concatenate([table[:n_prefix], np.einsum("Rr,Cc,rcd->RCd", m, m, grid).reshape(-1, table.shape[1])])


@wrong("resize for ViT", loses=["resize-grids"], says="column by column")
def column_by_column():
    def resize_position_table(table, old_grid, new_grid, n_prefix=1):
        def m(old, new):
            x = np.clip((np.arange(new) + 0.5) * old / new - 0.5, 0, old - 1)
            return np.maximum(0, 1 - np.abs(x[:, None] - np.arange(old)))

        table = np.asarray(table)
        if len(table) != n_prefix + old_grid[0] * old_grid[1]:
            raise ValueError(f"{len(table)} rows")
        grid = table[n_prefix:].reshape(old_grid[1], old_grid[0], -1)  # (cols, rows) taken for (rows, cols)
        grid = np.einsum("Rr,Cc,crd->CRd", m(old_grid[0], new_grid[0]), m(old_grid[1], new_grid[1]), grid)
        return np.concatenate([table[:n_prefix], grid.reshape(-1, table.shape[1])])


@wrong("resize for ViT", loses=["resize-grids"], says="as many patches are not the same grid")
def same_count_taken_for_same_grid():
    # The shortcut of DINO compares the number of patches.
    def resize_position_table(table, old_grid, new_grid, n_prefix=1):
        def m(old, new):
            x = np.clip((np.arange(new) + 0.5) * old / new - 0.5, 0, old - 1)
            return np.maximum(0, 1 - np.abs(x[:, None] - np.arange(old)))

        table = np.asarray(table)
        if len(table) != n_prefix + old_grid[0] * old_grid[1]:
            raise ValueError(f"{len(table)} rows")
        if old_grid[0] * old_grid[1] == new_grid[0] * new_grid[1]:
            return table
        grid = np.einsum("Rr,Cc,rcd->RCd", m(old_grid[0], new_grid[0]), m(old_grid[1], new_grid[1]), table[n_prefix:].reshape(*old_grid, -1))
        return np.concatenate([table[:n_prefix], grid.reshape(-1, table.shape[1])])


@wrong("resize for ViT", loses=["resize-grids"], says="each axis has its own scale")
def one_scale_for_both_axes():
    def resize_position_table(table, old_grid, new_grid, n_prefix=1):
        scale = (old_grid[0] * old_grid[1] / (new_grid[0] * new_grid[1])) ** 0.5
        if 1 in old_grid:
            scale = None

        def m(old, new):
            x = np.clip((np.arange(new) + 0.5) * (scale or old / new) - 0.5, 0, old - 1)
            return np.maximum(0, 1 - np.abs(x[:, None] - np.arange(old)))

        table = np.asarray(table)
        if len(table) != n_prefix + old_grid[0] * old_grid[1]:
            raise ValueError(f"{len(table)} rows")
        if old_grid == new_grid:
            return table
        grid = np.einsum("Rr,Cc,rcd->RCd", m(old_grid[0], new_grid[0]), m(old_grid[1], new_grid[1]), table[n_prefix:].reshape(*old_grid, -1))
        return np.concatenate([table[:n_prefix], grid.reshape(-1, table.shape[1])])


@wrong("resize for ViT", loses=["resize-bilinear", "resize-grids"], says="one long line")
def flattened_rows_interpolated():
    def resize_position_table(table, old_grid, new_grid, n_prefix=1):
        table = np.asarray(table)
        if len(table) != n_prefix + old_grid[0] * old_grid[1]:
            raise ValueError(f"{len(table)} rows")
        old, new = old_grid[0] * old_grid[1], new_grid[0] * new_grid[1]
        x = (np.arange(new) + 0.5) * old / new - 0.5
        patches = np.stack([np.interp(x, np.arange(old), column) for column in table[n_prefix:].T], axis=1)
        return np.concatenate([table[:n_prefix], patches])


@wrong("resize for ViT", loses=["resize-prefix"], says="shape")
def prefix_dropped():
    def resize_position_table(table, old_grid, new_grid, n_prefix=1):
        def m(old, new):
            x = np.clip((np.arange(new) + 0.5) * old / new - 0.5, 0, old - 1)
            return np.maximum(0, 1 - np.abs(x[:, None] - np.arange(old)))

        table = np.asarray(table)
        if len(table) != n_prefix + old_grid[0] * old_grid[1]:
            raise ValueError(f"{len(table)} rows")
        grid = np.einsum("Rr,Cc,rcd->RCd", m(old_grid[0], new_grid[0]), m(old_grid[1], new_grid[1]), table[n_prefix:].reshape(*old_grid, -1))
        return grid.reshape(-1, table.shape[1])


@wrong("resize for ViT", loses=["resize-prefix"], says="class token")
def prefix_at_the_end():
    def resize_position_table(table, old_grid, new_grid, n_prefix=1):
        def m(old, new):
            x = np.clip((np.arange(new) + 0.5) * old / new - 0.5, 0, old - 1)
            return np.maximum(0, 1 - np.abs(x[:, None] - np.arange(old)))

        table = np.asarray(table)
        if len(table) != n_prefix + old_grid[0] * old_grid[1]:
            raise ValueError(f"{len(table)} rows")
        grid = np.einsum("Rr,Cc,rcd->RCd", m(old_grid[0], new_grid[0]), m(old_grid[1], new_grid[1]), table[n_prefix:].reshape(*old_grid, -1))
        return np.concatenate([grid.reshape(-1, table.shape[1]), table[:n_prefix]])


@wrong("resize for ViT", loses=["resize-bilinear", "resize-grids", "resize-prefix", "resize-errors"], says="raised ValueError")
def always_one_prefix_row():
    def resize_position_table(table, old_grid, new_grid, n_prefix=1):
        def m(old, new):
            x = np.clip((np.arange(new) + 0.5) * old / new - 0.5, 0, old - 1)
            return np.maximum(0, 1 - np.abs(x[:, None] - np.arange(old)))

        table = np.asarray(table)
        if len(table) != 1 + old_grid[0] * old_grid[1]:
            raise ValueError(f"{len(table)} rows")
        grid = np.einsum("Rr,Cc,rcd->RCd", m(old_grid[0], new_grid[0]), m(old_grid[1], new_grid[1]), table[1:].reshape(*old_grid, -1))
        return np.concatenate([table[:1], grid.reshape(-1, table.shape[1])])


@wrong("resize for ViT", loses=["resize-bilinear", "resize-grids", "resize-prefix"], says="close")
def single_precision():
    def resize_position_table(table, old_grid, new_grid, n_prefix=1):
        def m(old, new):
            x = np.clip((np.arange(new) + 0.5) * old / new - 0.5, 0, old - 1)
            return np.maximum(0, 1 - np.abs(x[:, None] - np.arange(old))) + 1e-7

        table = np.asarray(table, dtype=np.float32)
        if len(table) != n_prefix + old_grid[0] * old_grid[1]:
            raise ValueError(f"{len(table)} rows")
        grid = np.einsum("Rr,Cc,rcd->RCd", m(old_grid[0], new_grid[0]), m(old_grid[1], new_grid[1]), table[n_prefix:].reshape(*old_grid, -1))
        return np.concatenate([table[:n_prefix], grid.reshape(-1, table.shape[1])]).astype(np.float32)


@wrong("resize for ViT", loses=["resize-prefix"], says="exactly")
def unchanged_grid_changes_a_little():
    # A scale with a small extra, as released models used to avoid rounding of the size.
    def resize_position_table(table, old_grid, new_grid, n_prefix=1):
        def m(old, new):
            x = np.clip((np.arange(new) + 0.5) * old / (new + 1e-11) - 0.5, 0, old - 1)
            return np.maximum(0, 1 - np.abs(x[:, None] - np.arange(old)))

        table = np.asarray(table)
        if len(table) != n_prefix + old_grid[0] * old_grid[1]:
            raise ValueError(f"{len(table)} rows")
        grid = np.einsum("Rr,Cc,rcd->RCd", m(old_grid[0], new_grid[0]), m(old_grid[1], new_grid[1]), table[n_prefix:].reshape(*old_grid, -1))
        return np.concatenate([table[:n_prefix], grid.reshape(-1, table.shape[1])])


@wrong("resize for ViT", loses=["resize-errors"], says="returned a result")
def table_not_checked():
    def resize_position_table(table, old_grid, new_grid, n_prefix=1):
        def m(old, new):
            x = np.clip((np.arange(new) + 0.5) * old / new - 0.5, 0, old - 1)
            return np.maximum(0, 1 - np.abs(x[:, None] - np.arange(old)))

        table = np.asarray(table)
        grid = np.resize(table[n_prefix:], (*old_grid, table.shape[1]))
        grid = np.einsum("Rr,Cc,rcd->RCd", m(old_grid[0], new_grid[0]), m(old_grid[1], new_grid[1]), grid)
        return np.concatenate([table[:n_prefix], grid.reshape(-1, table.shape[1])])


@wrong("resize for ViT", loses=["resize-errors"], says="returned a result")
def only_short_tables_refused():
    def resize_position_table(table, old_grid, new_grid, n_prefix=1):
        def m(old, new):
            x = np.clip((np.arange(new) + 0.5) * old / new - 0.5, 0, old - 1)
            return np.maximum(0, 1 - np.abs(x[:, None] - np.arange(old)))

        table = np.asarray(table)
        n = old_grid[0] * old_grid[1]
        if len(table) < n_prefix + n:
            raise ValueError(f"{len(table)} rows")
        grid = np.einsum("Rr,Cc,rcd->RCd", m(old_grid[0], new_grid[0]), m(old_grid[1], new_grid[1]), table[n_prefix:n_prefix + n].reshape(*old_grid, -1))
        return np.concatenate([table[:n_prefix], grid.reshape(-1, table.shape[1])])


@wrong("resize for ViT", loses=["resize-errors"], says="AssertionError")
def assertion_instead_of_an_error():
    def resize_position_table(table, old_grid, new_grid, n_prefix=1):
        def m(old, new):
            x = np.clip((np.arange(new) + 0.5) * old / new - 0.5, 0, old - 1)
            return np.maximum(0, 1 - np.abs(x[:, None] - np.arange(old)))

        table = np.asarray(table)
        assert len(table) == n_prefix + old_grid[0] * old_grid[1], f"{len(table)} rows"
        grid = np.einsum("Rr,Cc,rcd->RCd", m(old_grid[0], new_grid[0]), m(old_grid[1], new_grid[1]), table[n_prefix:].reshape(*old_grid, -1))
        return np.concatenate([table[:n_prefix], grid.reshape(-1, table.shape[1])])


@wrong("resize for ViT", loses=["resize-errors"], says="does not contain")
def message_without_the_number():
    def resize_position_table(table, old_grid, new_grid, n_prefix=1):
        def m(old, new):
            x = np.clip((np.arange(new) + 0.5) * old / new - 0.5, 0, old - 1)
            return np.maximum(0, 1 - np.abs(x[:, None] - np.arange(old)))

        table = np.asarray(table)
        if len(table) != n_prefix + old_grid[0] * old_grid[1]:
            raise ValueError("the table does not fit the grid")
        grid = np.einsum("Rr,Cc,rcd->RCd", m(old_grid[0], new_grid[0]), m(old_grid[1], new_grid[1]), table[n_prefix:].reshape(*old_grid, -1))
        return np.concatenate([table[:n_prefix], grid.reshape(-1, table.shape[1])])


@wrong("resize for ViT", loses=["resize-bilinear", "resize-grids", "resize-prefix", "resize-errors"], says="raised ValueError")
def always_an_error():
    def resize_position_table(table, *args, **kwargs):
        raise ValueError(str(np.shape(table)) + str(args) + str(kwargs))


# ---------------------------------------------------------------- left padding


@right("left padding")
def running_sum():
    def position_ids(attention_mask):
        return np.maximum(np.cumsum(attention_mask, axis=1) - 1, 0)


@right("left padding")
def padding_gets_one():
    # What transformers does: the padding gets position 1.
    def position_ids(attention_mask):
        mask = np.asarray(attention_mask).astype(int)
        ids = mask.cumsum(-1) - 1
        ids[mask == 0] = 1 if mask.shape[1] > 1 else 0
        return ids


@right("left padding")
def places_minus_padding():
    def position_ids(attention_mask):
        mask = np.array(attention_mask, dtype=bool)
        n = mask.shape[1]
        start = n - mask.sum(1)
        return np.clip(np.arange(n)[None] - start[:, None], 0, n - 1)


@right("left padding")
def loops():
    def position_ids(attention_mask):
        result = []
        for row in attention_mask:
            count, ids = 0, []
            for real in row:
                ids.append(count)
                count += 1 if real else 0
            result.append(ids)
        return result


@right("left padding")
def modulo():
    def position_ids(attention_mask):
        mask = np.asarray(attention_mask)
        n = mask.shape[-1]
        return (np.arange(n) + mask.astype(int).sum(-1, keepdims=True)) % n


@right("left padding")
def floats_from_argmax():
    def position_ids(attention_mask):
        print(attention_mask)
        first = np.argmax(attention_mask, axis=1)
        out = np.zeros(np.shape(attention_mask))
        for b, f in enumerate(first):
            out[b, f:] = np.arange(out.shape[1] - f)
        return out


PADDING = ["padding-positions", "padding-lookup"]


@wrong("left padding", loses=PADDING, says="padding is counted")
def the_bug():
    def position_ids(attention_mask):
        batch, n = np.shape(attention_mask)
        return np.tile(np.arange(n), (batch, 1))


@wrong("left padding", loses=PADDING, says="should be 0")
def counted_from_one():
    def position_ids(attention_mask):
        return np.minimum(np.cumsum(attention_mask, axis=1), np.shape(attention_mask)[1] - 1) * 1


@wrong("left padding", loses=["padding-lookup"], says="indexes the table")
def minus_one_for_padding():
    def position_ids(attention_mask):
        return np.cumsum(attention_mask, axis=1) - 1


@wrong("left padding", loses=["padding-lookup"], says="indexes the table")
def padding_outside_the_table():
    def position_ids(attention_mask):
        mask = np.asarray(attention_mask).astype(bool)
        return np.where(mask, np.cumsum(mask, axis=1) - 1, mask.shape[1])


@wrong("left padding", loses=["padding-lookup"], says="indexes the table")
def negative_places():
    def position_ids(attention_mask):
        mask = np.asarray(attention_mask).astype(int)
        n = mask.shape[1]
        return np.arange(n) - (n - mask.sum(1, keepdims=True))


@wrong("left padding", loses=PADDING, says="tokens after two places of padding")
def right_padding_assumed():
    def position_ids(attention_mask):
        mask = np.asarray(attention_mask).astype(int)
        return np.where(np.arange(mask.shape[1]) < mask.sum(1, keepdims=True), np.arange(mask.shape[1]), 0)


@wrong("left padding", loses=PADDING, says="row without padding")
def the_mask_itself():
    def position_ids(attention_mask):
        mask = np.asarray(attention_mask).astype(int)
        return np.minimum(np.maximum(np.cumsum(mask, axis=1) - 1, 0), 1)


@wrong("left padding", loses=PADDING, says="after two places")
def summed_over_the_batch():
    def position_ids(attention_mask):
        mask = np.asarray(attention_mask).astype(int)
        return np.clip(np.cumsum(mask, axis=0) - 1, 0, mask.shape[1] - 1)


@wrong("left padding", loses=PADDING, says="row without padding")
def padding_of_the_first_row():
    def position_ids(attention_mask):
        mask = np.asarray(attention_mask).astype(int)
        n = mask.shape[1]
        ids = np.maximum(np.arange(n) - (n - mask[0].sum()), 0)
        return np.tile(ids, (len(mask), 1))


@wrong("left padding", loses=PADDING, says="raised TypeError")
def fails_for_bools():
    def position_ids(attention_mask):
        mask = np.asarray(attention_mask)
        return np.maximum(np.cumsum(mask, axis=1) - np.max(-mask + 2 * mask, axis=1, keepdims=True), 0)


@wrong("left padding", loses=PADDING, says="in place")
def mask_changed():
    def position_ids(attention_mask):
        ids = np.maximum(np.cumsum(attention_mask, axis=1) - 1, 0)
        for row in attention_mask:
            row[0] = 1 - row[0]
        return ids


@wrong("left padding", loses=PADDING, says="shape")
def padding_cut_off():
    def position_ids(attention_mask):
        mask = np.asarray(attention_mask).astype(int)
        longest = mask.sum(1).max()
        return np.maximum(np.cumsum(mask, axis=1) - 1, 0)[:, -longest:][:1]


@wrong("left padding", loses=PADDING, says="row without padding")
def counted_backwards():
    def position_ids(attention_mask):
        mask = np.asarray(attention_mask).astype(int)
        ids = np.cumsum(mask[:, ::-1], axis=1)[:, ::-1] - 1
        return np.where(mask.sum(1, keepdims=True) == 2, np.maximum(np.cumsum(mask, axis=1) - 1, 0), ids)


@wrong("left padding", loses=PADDING, says="should be an array")
def ragged():
    def position_ids(attention_mask):
        return [list(range(int(np.sum(row)))) for row in attention_mask]
