// Arrays of NumPy's format: what is read, what is refused, and how they travel as tensors.
#include "bench/protocol/triton_value.hpp"

#include "bench/protocol/npy_files.hpp"
#include "bench/protocol/protocol.hpp"
#include "bench/protocol/triton_grpc_answers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace orch::protocol {
namespace npy_test {

using testing::HasSubstr;

// 1, -2.5, infinity, the smallest subnormal number, as FP16.
const std::string k_halves("\x00\x3c\x00\xc1\x00\x7c\x01\x00", 8);

std::string error_of(std::string_view text) {
  const auto read = read_npy(text, "a.npy");
  return read.ok() ? "no error" : read.error().message;
}

NpyArray array_of(const std::string& text) {
  auto read = read_npy(text, "a.npy");
  EXPECT_TRUE(read.ok()) << read.error().message;
  return std::move(*read);
}

ModelTensor weights() {
  return {.name = "lora_weights", .datatype = "FP16", .dims = {-1, -1}, .optional = true};
}

TEST(Npy, IsReadWithItsTypeShapeAndContents) {
  const NpyArray array = array_of(npy("<f2", "(1, 2, 2)", k_halves));
  EXPECT_EQ(array.datatype, "FP16");
  EXPECT_EQ(array.shape, (std::vector<std::int64_t>{1, 2, 2}));
  EXPECT_EQ(array.contents, k_halves);
  EXPECT_EQ(array_of(npy("<i4", "(1,)", std::string(4, 'x'))).datatype, "INT32");
  EXPECT_EQ(array_of(npy("|V2", "(4,)", k_halves)).datatype, "BF16");
  EXPECT_EQ(array_of(npy("<f4", "()", std::string(4, 'x'))).shape, std::vector<std::int64_t>{});
}

TEST(Npy, LaterVersionsOfTheFormatHaveLongerHeaders) {
  EXPECT_EQ(array_of(npy("<f2", "(4,)", k_halves, "False", 2)).contents, k_halves);
}

TEST(Npy, ThatIsNoSuchFileIsRefused) {
  const std::string other =
      "a.npy: it is not a NumPy file (.npy); write it with numpy.save, as "
      "hf_lora_convert.py does";
  const std::string good = npy("<f2", "(4,)", k_halves);
  EXPECT_EQ(error_of(""), other);
  EXPECT_EQ(error_of("PK\x03\x04"), other);
  for (std::size_t size = 0; size < good.size() - k_halves.size(); ++size)
    EXPECT_EQ(error_of(std::string_view(good).substr(0, size)), other) << size;
  EXPECT_EQ(error_of(npy("<f2", "(4,), 'more': 1", k_halves)), other);
  EXPECT_EQ(error_of(npy("<f2", "(-4,)", k_halves)), other);
  EXPECT_EQ(error_of(npy("<f2", "[4]", k_halves)), other);
}

TEST(Npy, WithContentsOfAnotherSizeIsRefused) {
  EXPECT_EQ(error_of(npy("<f2", "(3,)", k_halves)),
            "a.npy: it has 8 bytes of contents, but its shape [3] of FP16 needs 6; write it again");
  EXPECT_THAT(error_of(npy("<f2", "(4000000000, 4000000000, 4)", k_halves)),
              HasSubstr("needs more than memory holds"));
}

TEST(Npy, ThatCannotBeSentIsRefused) {
  EXPECT_EQ(error_of(npy(">f2", "(4,)", k_halves)),
            "a.npy: its type '>f2' cannot be sent to Triton; save a little-endian array of "
            "numbers, such as '<f2'");
  EXPECT_EQ(error_of(npy("<f2", "(4,)", k_halves, "True")),
            "a.npy: its array is in Fortran order; save numpy.ascontiguousarray(array)");
}

TEST(ArrayTensor, DropsLeadingOnesAndRepeatsForABatch) {
  const NpyArray array = array_of(npy("<f2", "(1, 2, 2)", k_halves));
  const auto tensor = array_tensor(weights(), array, 2);
  ASSERT_TRUE(tensor.ok()) << tensor.error().message;
  EXPECT_EQ(tensor->shape, (std::vector<std::int64_t>{2, 2, 2}));
  EXPECT_EQ(std::get<RawNumbers>(tensor->values).bytes, k_halves + k_halves);
  EXPECT_EQ(array_tensor(weights(), array, 0)->shape, (std::vector<std::int64_t>{2, 2}));
}

TEST(ArrayTensor, RefusesAnotherTypeOrShape) {
  const auto message = [](const ModelTensor& input, const std::string& text) {
    const auto made = array_tensor(input, array_of(text), 1);
    return made.ok() ? "no error" : made.error().message;
  };
  EXPECT_EQ(message(weights(), npy("|V2", "(1, 2, 2)", k_halves)),
            "a.npy: it holds BF16, but the model's input lora_weights is FP16; save it as FP16 "
            "(hf_lora_convert.py --storage-type float16)");
  EXPECT_EQ(message(weights(), npy("<f2", "(4,)", k_halves)),
            "a.npy: its shape [4] does not fit the model's input lora_weights [-1, -1]");
  EXPECT_THAT(message({.name = "lora_config", .datatype = "INT32", .dims = {-1, 3}},
                      npy("<i4", "(1, 1, 2)", std::string(8, '\0'))),
              HasSubstr("its shape [1, 1, 2] does not fit"));
}

RequestShape shape_with(const std::string& url, const std::string& shape) {
  RequestShape out{.url = *wire::parse_url(url), .model = "ensemble", .osl = 4, .inputs = {}};
  out.facts =
      ModelFacts{.name = "ensemble",
                 .inputs = {{.name = "text_input", .datatype = "BYTES", .dims = {1}}, weights()},
                 .max_batch_size = 8,
                 .decoupled = true};
  out.arrays = {
      {"lora_weights", std::make_shared<const NpyArray>(array_of(npy("<f2", shape, k_halves)))}};
  return out;
}

TEST(ArrayTensor, TravelsAsItIsOverGrpc) {
  const auto made = make_protocol("triton-grpc", shape_with("grpc://127.0.0.1:1", "(1, 2, 2)"));
  ASSERT_TRUE(made.ok()) << made.error().message;
  inference::ModelInferRequest request;
  ASSERT_TRUE(request.ParseFromString((*made)->request({.text_input = "hi", .isl = {}})));
  ASSERT_EQ(request.inputs_size(), 2);
  EXPECT_EQ(request.inputs(1).name(), "lora_weights");
  EXPECT_EQ(request.inputs(1).datatype(), "FP16");
  EXPECT_THAT(request.inputs(1).shape(), testing::ElementsAre(1, 2, 2));
  EXPECT_EQ(request.raw_input_contents(1), k_halves);
}

TEST(ArrayTensor, TravelsAsNumbersOverHttp) {
  const auto made = make_protocol("triton-http", shape_with("http://127.0.0.1:1", "(1, 1, 4)"));
  ASSERT_TRUE(made.ok()) << made.error().message;
  const std::string request = (*made)->request({.text_input = "hi", .isl = {}});
  EXPECT_EQ(nlohmann::json::parse(request.substr(request.find("\r\n\r\n") + 4))["lora_weights"],
            nlohmann::json::parse("[1, -2.5, null, 5.9604645e-08]"));
}

// Triton infers shapes of the generate extension, and cannot know how long a row is.
TEST(ArrayTensor, OfSeveralRowsNeedsGrpc) {
  const auto made = make_protocol("triton-http", shape_with("http://127.0.0.1:1", "(1, 2, 2)"));
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().message,
            "the input lora_weights cannot be sent with the shape [1, 2, 2] over HTTP, where "
            "Triton infers shapes; use --protocol triton-grpc");
}

TEST(ArrayTensor, OfAnInputThatTheModelLacksNamesAnotherModel) {
  RequestShape with = shape_with("grpc://127.0.0.1:1", "(1, 2, 2)");
  with.facts->inputs.pop_back();
  const auto made = make_protocol("triton-grpc", std::move(with));
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().message,
            "a.npy: the model ensemble has no input lora_weights; send it to another model, such "
            "as tensorrt_llm (--model), or to a release whose ensemble has it");
}

}  // namespace npy_test
}  // namespace orch::protocol
